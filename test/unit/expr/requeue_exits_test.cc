#include "libwm/expr/requeue_exits.h"

#include <gtest/gtest.h>

#include <string>

namespace wm::expr {
namespace {

using Codes = std::vector<std::uint32_t>;

RequeueExits exits_of(const std::string& text) {
  auto exits = parse_requeue_exits(text);
  EXPECT_TRUE(exits) << text << ": " << exits.error().text;
  return exits ? *exits : RequeueExits{};
}

std::string exits_refusal(const std::string& text) {
  auto exits = parse_requeue_exits(text);
  return exits ? "accepted" : exits.error().text;
}

TEST(requeue_exits, codes_stand_for_themselves_once_and_rising) {
  EXPECT_EQ(exits_of(""), RequeueExits{});
  EXPECT_EQ(exits_of("99 3, 3\t0"), (RequeueExits{{0, 3, 99}, {}}));
}

TEST(requeue_exits, all_is_every_failure_less_those_named) {
  auto exits = exits_of("all ~1 ~2");
  EXPECT_EQ(exits.codes.size(), 253u);
  EXPECT_EQ(exits.codes.front(), 3u);
  EXPECT_EQ(exits.codes.back(), 255u);
  EXPECT_EQ(exits_of("3 4 ~3").codes, (Codes{4}));
}

TEST(requeue_exits, codes_in_exclude_are_codes_too) {
  EXPECT_EQ(exits_of("1 2 EXCLUDE(3)"), (RequeueExits{{1, 2, 3}, {3}}));
  EXPECT_EQ(exits_of("EXCLUDE(20 10) 30"), (RequeueExits{{10, 20, 30}, {10, 20}}));
  EXPECT_EQ(exits_of("EXCLUDE (3) EXCLUDE( 4 )"), (RequeueExits{{3, 4}, {3, 4}}));
  EXPECT_EQ(exits_of("all EXCLUDE(9)").codes.size(), 255u);
  EXPECT_EQ(exits_of("EXCLUDE(all ~9)").excluding.size(), 254u);
}

TEST(requeue_exits, what_is_no_list_is_refused_with_the_word) {
  std::string wanted = ": exit codes from 0 to 255, all, ~code or EXCLUDE(code ...) are wanted";
  for (const char* word : {"256", "-1", "x", "3x", "~", "(", "exclude"})
    EXPECT_EQ(exits_refusal(std::string("1 ") + word), "'" + std::string(word) + "'" + wanted);
  EXPECT_EQ(exits_refusal("EXCLUDE(3 x)"), "'x'" + wanted);
  EXPECT_EQ(exits_refusal("EXCLUDE(EXCLUDE(3))"), "'EXCLUDE'" + wanted);
  for (const char* text : {"1 EXCLUDE", "EXCLUDE 3", "EXCLUDE()", "EXCLUDE(3", "EXCLUDE("})
    EXPECT_EQ(exits_refusal(text),
              "'" + std::string(text) + "': EXCLUDE wants exit codes in parentheses: EXCLUDE(3)");
}

TEST(requeue_exits, what_is_written_is_read_again) {
  EXPECT_EQ(format_requeue_exits(exits_of("2 1 EXCLUDE(4 3)")), "1, 2, EXCLUDE(3, 4)");
  EXPECT_EQ(format_requeue_exits(exits_of("all 0 ~7 EXCLUDE(9)")), "all, 0, ~7, EXCLUDE(9)");
  for (const char* text : {"", "0", "all", "EXCLUDE(all)", "all EXCLUDE(all ~3)", "1 EXCLUDE(0)"})
    EXPECT_EQ(exits_of(format_requeue_exits(exits_of(text))), exits_of(text)) << text;
}

}  // namespace
}  // namespace wm::expr
