// JSON is read within its bounds, whatever somebody sends, and written as text that is UTF-8.
#include "libwm/base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wm {
namespace {

std::string nested(std::size_t depth, const std::string& open = "[",
                   const std::string& close = "]") {
  std::string text, end;
  for (std::size_t i = 0; i < depth; ++i) {
    text += open;
    end += close;
  }
  return text + end;
}

TEST(json, keeps_the_order_of_members_or_sorts_them) {
  const std::string text = R"({"b":1,"a":[true,null,"x"],"c":2.5})";
  EXPECT_EQ(to_text(*parse_json(text)), text);
  EXPECT_EQ(to_text(*parse_json<SortedJson>(text)), R"({"a":[true,null,"x"],"b":1,"c":2.5})");
}

TEST(json, the_last_of_two_members_of_a_name_counts) {
  EXPECT_EQ(to_text(*parse_json(R"({"a":1,"b":2,"a":3})")), R"({"a":3,"b":2})");
}

TEST(json, what_is_none_is_damaged_and_says_where) {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\":}", "nul", "1 2", "{} x", "'a'", "\"\n\"",
                           "\"\xff\"", "[1]]"})
    EXPECT_EQ(parse_json(text).error().code, Code::Damaged) << text;
  auto error = parse_json("{\"a\":\n oops}").error();
  EXPECT_NE(error.text.find("line 2"), std::string::npos) << error.text;
}

TEST(json, a_number_beyond_doubles_is_refused) {
  EXPECT_EQ(parse_json("1e999").error().code, Code::Damaged);
}

TEST(json, deep_nesting_is_refused_and_needs_no_stack) {
  for (const auto& text : {nested(200'000), nested(200'000, "{\"a\":", "}"),
                           std::string(200'000, '['), "[\"\\\\\"," + std::string(200'000, '[')})
    EXPECT_EQ(parse_json(text).error().code, Code::Limit) << text.substr(0, 20);
}

TEST(json, the_depth_is_counted_to_the_bracket) {
  JsonLimits three{.depth = 3};
  EXPECT_TRUE(parse_json(nested(3), three));
  EXPECT_EQ(parse_json(nested(4), three).error().code, Code::Limit);
  EXPECT_EQ(parse_json("[]", {.depth = 0}).error().code, Code::Limit);
  EXPECT_TRUE(parse_json("[[[1]],[[2]],[[3]]]", three)) << "side by side is not deep";
  EXPECT_TRUE(parse_json("1", {.depth = 0}));
}

TEST(json, brackets_in_texts_are_not_counted) {
  EXPECT_TRUE(parse_json(R"(["[[[[","\"[[[[","\\"])", {.depth = 1}));
  EXPECT_EQ(parse_json(R"(["\\",[1]])", {.depth = 1}).error().code, Code::Limit);
}

TEST(json, longer_than_the_limit_is_refused) {
  EXPECT_TRUE(parse_json("[1,2]", {.bytes = Bytes{5}}));
  auto error = parse_json("[1,2] ", {.bytes = Bytes{5}}).error();
  EXPECT_EQ(error.code, Code::Limit);
  EXPECT_NE(error.text.find("6 bytes: at most 5"), std::string::npos) << error.text;
}

TEST(json, null_stands_for_what_was_refused) {
  EXPECT_EQ(json_or_null("{\"a\":1}")["a"], 1);
  EXPECT_TRUE(json_or_null("{\"a\":").is_null());
  EXPECT_TRUE(json_or_null(nested(200'000)).is_null());
  EXPECT_TRUE(json_or_null<SortedJson>("").is_null());
}

TEST(json, bytes_that_are_no_utf8_are_replaced) {
  EXPECT_EQ(to_text(Json{{"a", "x\xffy"}}), "{\"a\":\"x\xef\xbf\xbdy\"}");
  EXPECT_EQ(to_text(SortedJson("\xc3")), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(to_text(Json("ä")), "\"ä\"");
  EXPECT_EQ(to_ascii(Json("ä\xff")), "\"\\u00e4\\ufffd\"");
}

TEST(json, is_written_on_one_line_or_indented) {
  Json json{{"a", {1, 2}}};
  EXPECT_EQ(to_text(json), "{\"a\":[1,2]}");
  EXPECT_EQ(to_text(json, 1), "{\n \"a\": [\n  1,\n  2\n ]\n}");
  EXPECT_EQ(to_text({{"a", 1}}), "{\"a\":1}");
}

}  // namespace
}  // namespace wm
