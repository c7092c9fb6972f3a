// Role: JSON texts cut into their parts as they stand.
#include "libwm/search/raw_json.h"

#include <gtest/gtest.h>

#include <string>

namespace wm::search {
namespace {

// "key=text|…", or "none".
std::string parts(std::string_view json, bool object) {
  auto found = raw_parts(json, object);
  if (!found) return "none";
  std::string text;
  for (const auto& part : *found)
    text += (text.empty() ? "" : "|") + std::string(part.key) + "=" + std::string(part.text);
  return text;
}

TEST(raw_json, cuts_lists_and_objects_at_their_own_commas) {
  EXPECT_EQ(parts(R"( [1, [2,3] ,{"a":"],\\"}, "x\",y" ] )", false),
            R"(=1|=[2,3]|={"a":"],\\"}|="x\",y")");
  EXPECT_EQ(parts(R"({"a" : {"b":[1,2]},"c":"d,e" })", true), R"(a={"b":[1,2]}|c="d,e")");
  EXPECT_EQ(parts("[]", false), "");
  EXPECT_EQ(parts("{ }", true), "");
}

TEST(raw_json, finds_none_where_brackets_or_commas_do_not_fit) {
  for (const char* json :
       {"", "[", "]", "7", "[1,]", "[,1]", "[1]]", "[[1]", "{}", "[\"x]", "[1 , ]"})
    EXPECT_EQ(parts(json, false), "none") << json;
  for (const char* json : {"[]", "{1}", R"({"a"})", R"({"a":})", R"({"a":1,})", R"({a:1})", "{\"a"})
    EXPECT_EQ(parts(json, true), "none") << json;
}

}  // namespace
}  // namespace wm::search
