// Role: TF_CONFIG and our own variables for tasks of a job with groups.
#include "libwm/launch/group_env.h"

#include <gtest/gtest.h>

namespace wm::launch {
namespace {

HostOrder order_of(std::uint32_t group) {
  HostOrder order;
  order.job = {12, group};
  order.team.groups = {
      {"boss", "chief", {"a:25000"}, {"10.0.0.1:25000"}},
      {"ps", "", {"a:25001"}, {"10.0.0.1:25001"}},
      {"near", "worker", {"a:25002", "b:25000"}, {"10.0.0.1:25002", "10.0.0.2:25000"}},
      {"far-off", "worker", {"c:25000"}, {"[fd00::3]:25000"}},
      {"eval", "evaluator", {}, {}}};
  return order;
}

TEST(group_env, tf_config_names_the_cluster_and_the_task) {
  EXPECT_EQ(tf_config(order_of(1), 0),
            R"({"cluster":{"chief":["10.0.0.1:25000"],"ps":["10.0.0.1:25001"],)"
            R"("worker":["10.0.0.1:25002","10.0.0.2:25000","[fd00::3]:25000"]},)"
            R"("task":{"type":"chief","index":0}})");
}

TEST(group_env, of_a_master_that_says_no_addresses_tf_config_has_the_names) {
  auto order = order_of(1);
  for (auto& group : order.team.groups) group.addresses.clear();
  EXPECT_EQ(tf_config(order, 0),
            R"({"cluster":{"chief":["a:25000"],"ps":["a:25001"],)"
            R"("worker":["a:25002","b:25000","c:25000"]},"task":{"type":"chief","index":0}})");
}

TEST(group_env, groups_of_one_role_count_as_one) {
  auto text = tf_config(order_of(4), 0);
  EXPECT_NE(text.find(R"("task":{"type":"worker","index":2}})"), std::string::npos) << text;
}

TEST(group_env, variables_say_who_where_and_by_which_port) {
  auto order = order_of(3);
  order.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"}, {{2}, "b", "10.0.0.2"}}, "b");
  OrderedTask task;
  task.task = {2};
  VariableMap vars;
  add_groups(vars, order, task);
  EXPECT_EQ(vars["WM_GROUP"], "near");
  EXPECT_EQ(vars["WM_GROUP_RANK"], "1");
  EXPECT_EQ(vars["WM_GROUP_PORT"], "25000");
  EXPECT_EQ(vars["WM_GROUP_FAR_OFF"], "c:25000");
  EXPECT_EQ(vars["WM_GROUP_PS"], "a:25001");
}

TEST(group_env, other_jobs_get_none) {
  HostOrder order;
  order.job = {12, 0};
  VariableMap vars;
  add_groups(vars, order, {});
  EXPECT_TRUE(vars.empty());
}

}  // namespace
}  // namespace wm::launch
