// limits.conf, slas.conf, windows of queues and plans: what they say, and what is refused.
#include "libwm/conf/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libwm/conf/load.h"

namespace wm::conf {
namespace {

std::string problems_of(const std::string& file, const std::string& text) {
  auto config = parse({{file, text}});
  return config ? "" : config.error().text;
}

TEST(limits_conf, says_whom_it_is_about_and_how_much) {
  auto config = parse({{"limits.conf",
                        "[night]\nper_user = all, ~ann\nqueues = long\nslots = 8\njobs = 0\n"
                        "mem = 4G\nwindows = 20:00-6:00\n[h]\nper_host = all\njobs = 2\n"}});
  ASSERT_TRUE(config) << config.error().text;
  ASSERT_EQ(config->limits.size(), 2u);
  const LimitRule& night = config->limits[1];
  EXPECT_EQ(night.name, "night");
  EXPECT_EQ(night.users, (Consumers{{"all", "~ann"}, true}));
  EXPECT_EQ(night.queues, (Consumers{{"long"}, false}));
  EXPECT_EQ(night.slots, 8u);
  EXPECT_EQ(night.jobs, 0u);
  EXPECT_EQ(night.mem, Bytes{std::int64_t{4} << 30});
  EXPECT_EQ(night.windows.size(), 7u);
  EXPECT_TRUE(config->limits[0].hosts.each);
}

TEST(limits_conf, a_section_may_allow_reservations) {
  auto config = parse({{"limits.conf",
                        "[r]\nreservations = yes\nusers = ann, ~bob\nhosts = h1, rack\nslots = 4\n"
                        "windows = 20:00-6:00\n"}});
  ASSERT_TRUE(config) << config.error().text;
  const LimitRule& rule = config->limits.at(0);
  EXPECT_TRUE(rule.reserve);
  EXPECT_EQ(rule.users.names, (std::vector<std::string>{"ann", "~bob"}));
  EXPECT_EQ(rule.hosts.names, (std::vector<std::string>{"h1", "rack"}));
  EXPECT_FALSE(rule.hosts.each);
  EXPECT_EQ(rule.slots, 4u);
  EXPECT_THAT(problems_of("limits.conf", "[r]\nreservations = yes\n"),
              ::testing::HasSubstr("'r' allows reservations to nobody"));
  for (auto key : {"per_user = ann", "queues = q", "per_host = h1", "jobs = 1", "mem = 1G"})
    EXPECT_THAT(problems_of("limits.conf",
                            std::string("[r]\nreservations = yes\nusers = all\n") + key + "\n"),
                ::testing::HasSubstr("limits.conf"))
        << key;
  EXPECT_THAT(problems_of("limits.conf", "[r]\nslots = 1\nhosts = h1\n"),
              ::testing::HasSubstr("they go with reservations"));
}

TEST(limits_conf, what_bounds_nothing_or_cannot_be_counted_is_refused_with_its_line) {
  EXPECT_EQ(problems_of("limits.conf", "[a]\nusers = ann\n"),
            "limits.conf:1: limit 'a' bounds none of slots, jobs and mem");
  EXPECT_THAT(problems_of("limits.conf", "[a]\nslots = 1\nusers = ann\nper_user = bob\n"),
              ::testing::StartsWith("limits.conf:4: per_user: all together"));
  EXPECT_THAT(problems_of("limits.conf", "[a]\nslots = 1\nwindows = 8\n"),
              ::testing::StartsWith("limits.conf:3: windows: '8' is no time window"));
}

TEST(slas_conf, a_class_has_a_goal) {
  auto config = parse({{"slas.conf", "[reports]\nvelocity = 3\npriority = 7\nusers = ann\n"}});
  ASSERT_TRUE(config) << config.error().text;
  const ServiceClass* sla = config->service_class("reports");
  ASSERT_NE(sla, nullptr);
  EXPECT_EQ(sla->velocity, 3u);
  EXPECT_EQ(sla->priority, 7u);
  EXPECT_THAT(problems_of("slas.conf", "[x]\nusers = ann\n"),
              ::testing::StartsWith("slas.conf:1: service class 'x' has none of"));
}

TEST(windows_conf, queues_and_plans_have_them) {
  auto config = parse({{"queues.conf", "[normal]\nrun_window = 5:18:00-1:8:00\n"},
                       {"plans.conf", "[/a]\nshares_at = 200 20:00-6:00; 50 6:0:00-1:0:00\n"}});
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->queue("normal")->run_window.size(), 1u);
  const auto& timed = config->plan("/a")->shares_at;
  ASSERT_EQ(timed.size(), 2u);
  EXPECT_EQ(timed[0].shares, 200u);
  EXPECT_EQ(timed[1].windows.size(), 1u);
  EXPECT_THAT(problems_of("plans.conf", "[/a]\nshares_at = 200\n"),
              ::testing::StartsWith("plans.conf:2: shares_at: "));
}

// Of a place an hour ahead, two in summer: from the last Sunday of March 01:00 UTC to that of
// October.
std::time_t summer_clock(std::tm* date) {
  std::time_t as_utc = ::timegm(date);
  bool summer = date->tm_mon > 2 && date->tm_mon < 9;
  return as_utc - (summer ? 7200 : 3600);
}

TEST(windows_conf, the_clock_is_a_table_of_its_changes) {
  EXPECT_TRUE(clock_steps(::timegm).empty());
  auto steps = clock_steps(summer_clock);
  ASSERT_GT(steps.size(), 70u);
  EXPECT_EQ(steps[0], (ClockStep{0, 3600}));
  EXPECT_EQ(steps[1].ahead, 7200);
  EXPECT_EQ(steps[2].ahead, 3600);
  EXPECT_EQ(steps[1].from, 1585692000);  // 2020-04-01 00:00 there
}

}  // namespace
}  // namespace wm::conf
