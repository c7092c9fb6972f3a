// Role: where the tasks of a job's groups are found.
#include "daemons/wagent/launch/groups.h"

#include <gtest/gtest.h>

namespace wm::wagent {
namespace {

AgentPlace place(const std::string& host, std::uint32_t tasks) {
  return {HostId{1}, host, "10.0.0.1:" + host, tasks};
}

// Of a driver on a, with workers on a and b, and kernels that do not run.
AgentOrder order() {
  AgentOrder words;
  words.agents = {place("a", 1)};
  words.groups = {{"driver", std::string(32, 'd'), {place("a", 1)}},
                  {"worker", std::string(32, 'w'), {place("a", 2), place("b", 1)}},
                  {"kernel", "", {}}};
  return words;
}

TEST(groups, the_agents_own_hosts_are_found_by_its_own_key) {
  auto at = agent_at(order(), "", "a");
  ASSERT_TRUE(at);
  EXPECT_EQ(*at, (AgentAt{"10.0.0.1:a", ""}));
  auto none = agent_at(order(), "", "b");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "host <b> is not one of this job's");
}

TEST(groups, another_groups_hosts_are_found_by_that_groups_key) {
  auto at = agent_at(order(), "worker", "b");
  ASSERT_TRUE(at);
  EXPECT_EQ(*at, (AgentAt{"10.0.0.1:b", std::string(32, 'w')}));
  auto none = agent_at(order(), "driver", "b");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text, "host <b> is not one of group <driver>'s");
}

TEST(groups, each_task_counts_once) {
  auto slots = slots_of(order(), "worker");
  ASSERT_TRUE(slots);
  EXPECT_EQ(*slots, (std::vector<std::string>{"a", "a", "b"}));
}

TEST(groups, one_that_is_not_there_or_has_no_task_is_refused_by_name) {
  auto unknown = slots_of(order(), "boss");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::NotFound);
  EXPECT_EQ(unknown.error().text, "no group <boss>; the job has <driver> <worker> <kernel>");
  auto idle = slots_of(order(), "kernel");
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().code, Code::Unavailable);
  EXPECT_EQ(idle.error().text, "group <kernel> has no task now");
  EXPECT_EQ(agent_at({}, "worker", "a").error().text, "no group <worker>; the job has none");
}

}  // namespace
}  // namespace wm::wagent
