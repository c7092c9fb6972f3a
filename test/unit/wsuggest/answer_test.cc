// Role: lines of questions and answers of the suggester.
#include "daemons/wsuggest/answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wm::suggester {
namespace {

using nlohmann::json;

constexpr char kSearch[] =
    R"({"algorithm":"Random","metric":"loss","seed":1,"space":[{"name":"x","type":"Range",)"
    R"("dataType":"INT","minIntVal":1,"maxIntVal":9}]})";

json asked(const std::string& rest) {
  return json::parse(answer(std::string(R"({"search":)") + kSearch + rest + "}"));
}

TEST(wsuggest, answers_with_configs_under_the_questions_id) {
  auto said = asked(R"(,"history":[],"wanted":2,"id":"k7")");
  EXPECT_EQ(said["id"], "k7");
  EXPECT_EQ(said["configs"].size(), 2u);
  EXPECT_EQ(said["stop"], json::array());
  EXPECT_EQ(said["done"], false);
}

TEST(wsuggest, finds_the_best_and_checks) {
  auto said = asked(R"(,"ask":"best","id":1,"history":[{"state":"finished","config":{"x":1},)"
                    R"("metrics":{"loss":{"min":0.5,"max":2,"latest":2}}}])");
  EXPECT_EQ(said, json::parse(R"({"id":1,"best":{"index":1,"value":0.5}})"));
  EXPECT_EQ(asked(R"(,"ask":"best","history":[])")["best"], nullptr);
  EXPECT_EQ(asked(R"(,"ask":"check","id":2)"), json::parse(R"({"id":2})"));
}

TEST(wsuggest, what_is_no_question_gets_an_error_and_the_next_is_answered) {
  for (const char* line : {"", "{", "[]", "7", "\xff\xfe", R"({"id":3})", R"({"id":3,"search":[]})",
                           R"({"id":3,"ask":"sing"})"}) {
    auto said = json::parse(answer(line));
    EXPECT_TRUE(said.contains("error")) << line << " → " << said;
    EXPECT_TRUE(said.contains("id"));
  }
  EXPECT_TRUE(asked(R"(,"history":[],"wanted":-1)").contains("error"));
  EXPECT_TRUE(asked(R"(,"history":[],"wanted":1e9)").contains("error"));
  EXPECT_TRUE(asked(R"(,"history":{})").contains("error"));
  EXPECT_EQ(asked(R"(,"history":[])")["configs"].size(), 1u);
}

}  // namespace
}  // namespace wm::suggester
