// Role: what a configuration leaves out or does not bind, which its files alone do not show.
#include "libwm/conf/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wm::conf {
namespace {

using ::testing::HasSubstr;

TEST(findings, queues_and_hosts_that_are_left_out_with_jobs_are_told) {
  Config next;
  next.queues = {{.name = "normal"}};
  next.hosts = {{.name = "h1"}};
  QueueView old_queue{.conf = {.name = "old"}, .jobs = 3}, idle{.conf = {.name = "idle"}};
  QueueView kept{.conf = {.name = "normal"}, .jobs = 5};
  HostView old_host, kept_host;
  old_host.host.name = "h2";
  old_host.jobs = 1;
  kept_host.host.name = "h1";
  kept_host.jobs = 1;
  const QueueView queues[] = {old_queue, idle, kept};
  const HostView hosts[] = {old_host, kept_host};
  auto found = check_left_out(next, queues, hosts);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found[0].text, HasSubstr("queue 'old' is left out and has 3"));
  EXPECT_THAT(found[1].text, HasSubstr("host 'h2' is left out and has 1"));
}

TEST(findings, hosts_that_want_to_join_are_told_until_they_are_listed) {
  Config next;
  next.hosts = {{.name = "h1"}};
  const Stranger strangers[] = {{"h1", ""}, {"h2", ""}};
  auto found = check_strangers(next, strangers);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].text, HasSubstr("[h2]"));
}

TEST(findings, a_limited_plan_below_an_open_one_is_warned_of) {
  Config config;
  config.plans = {{.path = "/"}, {.path = "/a", .limit = 4}, {.path = "/a/b", .limit = 4}};
  auto found = check_plan_limits(config);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].stops);
  EXPECT_THAT(found[0].text, HasSubstr("plan '/a': its limit of 4"));
  EXPECT_THAT(found[0].text, HasSubstr("-plan /:"));
  config.plans[0].users = {"staff"};
  EXPECT_TRUE(check_plan_limits(config).empty()) << "nobody else may leave it";
  config.plans[0].users = {};
  config.plans[0].limit = 4;
  EXPECT_TRUE(check_plan_limits(config).empty()) << "above is no more";
}

}  // namespace
}  // namespace wm::conf
