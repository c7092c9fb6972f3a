// budgets.conf: what it says, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libwm/conf/load.h"
#include "libwm/model/budget.h"

namespace wm::conf {
namespace {

std::string problems_of(const std::string& text) {
  auto config = parse({{"plans.conf", "[/a]\n"}, {"budgets.conf", text}});
  return config ? "" : config.error().text;
}

TEST(budgets_conf, says_hours_periods_and_what_comes_then) {
  auto config = parse({{"plans.conf", "[/a]\n"},
                       {"budgets.conf",
                        "[default]\ncarry = 10\n[user:ann]\ncpu_hours = 5\nat_end = shrink\n"
                        "period = 2026-01-01..2026-07-01\nwithin = /a\n[/a]\ngpu_hours = 100\n"}});
  ASSERT_TRUE(config) << config.error().text;
  ASSERT_EQ(config->budgets.list.size(), 2u);
  const auto& a = config->budgets.list[0];
  EXPECT_EQ(a.name, "/a");
  EXPECT_EQ(a.gpu_hours, 100u);
  EXPECT_FALSE(a.cpu_hours);
  EXPECT_EQ(a.carry, 10u);
  const auto& ann = config->budgets.list[1];
  EXPECT_EQ(ann.at_end, "shrink");
  EXPECT_EQ(ann.to - ann.from, std::chrono::hours(24 * 181));
  auto november = WallTime(std::chrono::seconds(1'795'000'000));
  auto month = period_at(config->budgets, a, november);
  EXPECT_EQ(month.to - month.from, std::chrono::hours(24 * 30));
  EXPECT_EQ(period_words(a, month), "November 2026");
  auto never = period_at(config->budgets, ann, november);
  EXPECT_EQ(never.from, never.to);
}

TEST(budgets_conf, refuses_negative_numbers_and_unknown_words_with_their_line) {
  EXPECT_THAT(problems_of("[/a]\ngpu_hours = -5\n"),
              ::testing::StartsWith("budgets.conf:2: gpu_hours: "));
  EXPECT_THAT(problems_of("[/a]\ngpu_hours = 5\ncarry = 101\n"),
              ::testing::StartsWith("budgets.conf:3: carry: "));
  EXPECT_THAT(problems_of("[/a]\ngpu_hours = 5\nat_end = kill\n"),
              ::testing::StartsWith("budgets.conf:3: at_end: "));
  EXPECT_THAT(problems_of("[/a]\ngpu_hours = 5\nperiod = 2026-02-30..2026-07-01\n"),
              ::testing::StartsWith("budgets.conf:3: period: "));
  EXPECT_THAT(problems_of("[/a]\ngpu_hours = 5\nperiod = 2026-07-01..2026-01-01\n"),
              ::testing::StartsWith("budgets.conf:3: period: "));
  EXPECT_EQ(problems_of("[/a]\n"),
            "budgets.conf:1: budget '/a' has neither gpu_hours nor cpu_hours");
  EXPECT_EQ(problems_of("[/b]\ncpu_hours = 1\n"), "budgets.conf:1: no plan '/b' for this budget");
  EXPECT_THAT(problems_of("[ann]\ncpu_hours = 1\n"), ::testing::HasSubstr("user:NAME"));
}

TEST(budgets_conf, refuses_budgets_that_are_within_themselves) {
  auto text = problems_of(
      "[default]\ncpu_hours = 1\n[/a]\nwithin = user:ann\n[user:ann]\nwithin = project:p\n"
      "[project:p]\nwithin = /a\n[user:eve]\nwithin = /a\n");
  EXPECT_THAT(text, ::testing::HasSubstr("budgets.conf:4: within: goes in a circle: /a within "
                                         "user:ann within project:p within /a"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("user:eve within")));
  EXPECT_THAT(problems_of("[/a]\ncpu_hours = 1\nwithin = /a\n"),
              ::testing::HasSubstr("goes in a circle: /a within /a"));
  EXPECT_EQ(problems_of("[/a]\ncpu_hours = 1\nwithin = user:x\n"),
            "budgets.conf:3: within: no budget 'user:x'");
}

}  // namespace
}  // namespace wm::conf
