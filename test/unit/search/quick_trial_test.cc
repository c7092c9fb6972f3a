// Role: trials read in one pass are what the JSON parser makes of them, and what is not plain is
// left to it.
#include "libwm/search/quick_trial.h"

#include "test/unit/search/rig.h"

namespace wm::search {
namespace {

const json kSpace = json::parse(R"([
  {"name":"lr","type":"Range","dataType":"double","minDbVal":1e-5,"maxDbVal":1},
  {"name":"n","type":"Range","dataType":"int","minIntVal":1,"maxIntVal":100},
  {"name":"opt","type":"Discrete","dataType":"str","discreteStrVal":["adam","sgd"]}])");

Search of(const char* goal) {
  auto json = search_json("TPE", kSpace);
  json["goal"] = goal;
  json["params"] = {{"ResourceName", "epochs"}, {"ResourceValue", 9}};
  auto search = read_search(json.dump());
  EXPECT_TRUE(search);
  return *search;
}

// A key that nobody knows makes it the parser's.
std::string for_the_parser(const std::string& text) {
  return "[" + text.substr(0, text.size() - 1) + ",\"other\":null}]";
}

void expect_equal(const Trial& a, const Trial& b) {
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.resource, b.resource);
  ASSERT_EQ(a.reports.size(), b.reports.size());
  for (std::size_t i = 0; i < a.reports.size(); ++i) {
    EXPECT_EQ(a.reports[i].step, b.reports[i].step);
    EXPECT_EQ(a.reports[i].value, b.reports[i].value);
  }
}

const char* const kPlain[] = {
    R"({"index":1,"state":"finished","config":{"lr":0.1,"n":7,"opt":"sgd"},"metrics":{"loss":{"latest":2,"max":3,"min":-1.5e-3}}})",
    R"({"index":1, "state":"RUNNING", "config":{"opt":"adam","n":7,"lr":1e-4}, "metrics":{"loss":3,"step":{"latest":4,"max":5,"min":1}}})",
    R"({"state":"killed","config":{},"metrics":{"epoch":2,"loss":{"latest":0.25},"steps":3}})",
    R"({"state":"odd","config":{"lr":5,"z":"q"},"metrics":{"acc":{"min":1,"max":2,"latest":2,"course":[[1,2],[2,3]]}}})",
    R"({"config":{"lr":0.5},"state":"running","metrics":{"loss":{"min":1,"max":4,"latest":1,"course":[[2,1],[1,4],[1,-0.0]]},"epochs":1}})",
    R"({"state":"failed","metrics":{"loss":{}}})",
    R"({})"};

TEST(quick_trial, is_what_the_parser_makes) {
  for (const char* goal : {"minimize", "maximize"})
    for (std::string text : kPlain) {
      auto search = of(goal);
      EXPECT_TRUE(quick_trial(text, search, 1)) << text;
      if (text == "{}") continue;
      auto quick = read_history("[" + text + "]", search);
      auto slow = read_history(for_the_parser(text), search);
      ASSERT_TRUE(quick && slow) << text;
      SCOPED_TRACE(text);
      expect_equal(quick->front(), slow->front());
    }
}

TEST(quick_trial, leaves_the_rest_to_the_parser) {
  auto search = of("minimize");
  for (const char* text : {R"({"state":"fin\u0069shed"})",
                           R"({"config":{"lr":"\u00e4"}})",
                           R"({"config":{"lr":true}})",
                           R"({"config":{"lr":1,"lr":2}})",
                           R"({"config":{"wm_resume":1}})",
                           R"({"config":{"epochs":3}})",
                           R"({"config":{"n":12345678901234567890}})",
                           R"({"config":{"lr":1e999}})",
                           R"({"config":{"lr":01}})",
                           R"({"config":{"lr":1.}})",
                           R"({"config":{"lr":.5}})",
                           R"({"config":{"lr":+1}})",
                           R"({"metrics":{"loss":"1"}})",
                           R"({"metrics":{"loss":NaN}})",
                           R"({"metrics":null})",
                           R"({"reports":[[1,2]]})",
                           R"({"state":"x"} 1)",
                           R"({"state":"x",})",
                           R"({"state":"x")",
                           R"([])",
                           "",
                           "{\"state\":\"\xff\"}"})
    EXPECT_FALSE(quick_trial(text, search, 1)) << text;
  EXPECT_FALSE(quick_trial(R"({"config":{"lr":")" + std::string(300, 'x') + R"("}})", search, 1));
}

}  // namespace
}  // namespace wm::search
