// Role: groups of one role are one team: ranks, where they meet, the folder of their results.
#include "libwm/launch/group_team.h"

#include <gtest/gtest.h>

#include "libwm/launch/launch_env.h"

namespace wm::launch {
namespace {

// A driver on host a; workers on a and b; a parameter server and a spare of their own.
HostOrder team_order(std::uint32_t group) {
  HostOrder order;
  order.job = {12, group};
  order.resolved.owner.user = "ann";
  order.app.type = AppType::Training;
  order.team.groups = {{"driver", "worker", {"a:25000"}, {"10.0.0.1:25000"}},
                       {"worker",
                        "",
                        {"a:25002", "a:25003", "b:25000"},
                        {"10.0.0.1:25002", "10.0.0.1:25003", "10.0.0.2:25000"}},
                       {"ps", "", {"c:25000"}, {"10.0.0.3:25000"}}};
  return order;
}

// The workers' part of host b, where their third task is.
HostOrder workers_on_b() {
  auto order = team_order(2);
  order.hosts =
      job_hosts_of({{{1}, "a", "10.0.0.1"}, {{2}, "a", "10.0.0.1"}, {{3}, "b", "10.0.0.2"}}, "b");
  order.team.port = 21000;
  return order;
}

HostFacts team_host() {
  HostFacts host;
  host.name = "b";
  host.cluster = "c";
  host.dirs.results = "/r";
  return host;
}

TEST(group_team, ranks_count_through_the_groups_of_one_role) {
  auto place = team_place(workers_on_b(), {3});
  EXPECT_EQ(place.rank, 3u);
  EXPECT_EQ(place.world, 4u);
  EXPECT_EQ(place.local_rank, 0u);
  EXPECT_EQ(place.local_world, 1u);
  EXPECT_EQ(place.host_rank, 2u) << "what the driver has of host a is a host of its own";
  EXPECT_EQ(place.hosts, 3u);
  auto driver = team_order(1);
  driver.hosts = job_hosts_of({{{1}, "a", "10.0.0.1"}}, "a");
  EXPECT_EQ(team_place(driver, {1}).rank, 0u);
  EXPECT_EQ(team_place(driver, {1}).world, 4u);
}

TEST(group_team, all_meet_at_the_first_task_of_the_first_group) {
  auto meeting = meeting_of(workers_on_b());
  EXPECT_EQ(meeting.address, "10.0.0.1");
  EXPECT_EQ(meeting.port, 25000u);
  auto far = workers_on_b();
  far.team.groups[0].addresses = {"[fd00::3]:25007"};
  EXPECT_EQ(meeting_of(far).address, "fd00::3");
  EXPECT_EQ(meeting_of(far).port, 25007u);
  far.team.groups[0].at = far.team.groups[0].addresses = {};
  EXPECT_EQ(meeting_of(far).port, 0u) << "it is not told of a place where nobody is";
}

TEST(group_team, results_and_logs_are_in_one_folder) {
  auto order = workers_on_b();
  auto host = team_host();
  EXPECT_EQ(result_dir(order, host), "/r/ann/batchworkdir/12");
  EXPECT_EQ(log_dir(order, host, {3}), "/r/ann/batchworkdir/12/log/4");
  EXPECT_EQ(log_dir(team_order(1), host, {1}), "/r/ann/batchworkdir/12/log/1");
  order.resolved.exec.bundle = "0123";
  EXPECT_EQ(own_name(order, host), "c-12");
}

TEST(group_team, other_groups_and_such_as_change_in_size_are_none) {
  auto servers = team_order(3);
  servers.hosts = job_hosts_of({{{1}, "c", "10.0.0.3"}}, "c");
  EXPECT_FALSE(is_in_team(servers));
  EXPECT_EQ(team_place(servers, {1}).world, 1u);
  EXPECT_EQ(results_id(servers), (JobId{12, 3}));
  EXPECT_EQ(log_number(servers, {1}), 1u);
  auto elastic = workers_on_b();
  elastic.team.elastic = true;
  EXPECT_FALSE(is_in_team(elastic));
  EXPECT_EQ(meeting_of(elastic).port, 21000u);
  HostOrder alone;
  alone.job = {12, 0};
  EXPECT_FALSE(is_in_team(alone));
}

TEST(group_team, tasks_are_told_so) {
  auto order = workers_on_b();
  OrderedTask task;
  task.task = {3};
  order.tasks = {task};
  auto host = team_host();
  std::map<std::string, std::string> vars;
  for (const auto& entry : task_environment(order, host, task))
    vars[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  EXPECT_EQ(vars["RANK"] + " of " + vars["WORLD_SIZE"], "3 of 4");
  EXPECT_EQ(vars["NODE_RANK"] + " of " + vars["WMLA_NWORKER"], "3 of 4");
  EXPECT_EQ(vars["MASTER_ADDR"] + ":" + vars["MASTER_PORT"], "10.0.0.1:25000");
  EXPECT_EQ(vars["RESULT_DIR"], "/r/ann/batchworkdir/12");
  EXPECT_EQ(vars["LOG_DIR"], "/r/ann/batchworkdir/12/log/4");
}

}  // namespace
}  // namespace wm::launch
