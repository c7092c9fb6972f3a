// What hosts and agents are told about jobs that are suspended, resized by restart, notified, or
// have commands around them.
#include <gtest/gtest.h>

#include "daemons/wmasterd/hosts/orders.h"
#include "test/support/builders.h"

namespace wm::master {
namespace {

using std::chrono::seconds;
using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

struct RunningOrders : testing::Test {
  ClusterBuilder c;
  HostId h1 = c.host(4), h2 = c.host(4);

  HostOrder told(JobId id, HostId host, double now = 0) {
    return order_for(c.state, c.job(id), host, at(now));
  }
  JobId start(SpecBuilder spec, const std::vector<HostId>& hosts) {
    auto id = c.submit(spec);
    c.run(id, hosts);
    return id;
  }
  // Slots without a process, from task 2 on.
  static std::vector<Task> slots_on(const std::vector<HostId>& hosts) {
    std::vector<Task> slots(hosts.size());
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
      slots[i].number = TaskNumber{i + 2};
      slots[i].host = hosts[i];
      slots[i].has_process = false;
    }
    return slots;
  }
  SpecBuilder torchrun() {
    auto spec = SpecBuilder().app("training").tasks(1, 8).elastic();
    spec.spec.program.command = "torchrun x.py";
    return spec;
  }
};

TEST_F(RunningOrders, a_suspension_is_part_of_the_order_and_stops_the_clock_of_the_run_limit) {
  auto spec = SpecBuilder();
  spec.spec.run_limit = seconds(100);
  auto id = start(spec, {h1});
  auto begun = c.job(id).times.started.time_since_epoch() - at(0).time_since_epoch();
  EXPECT_EQ(told(id, h1).control.suspend, false);
  c.step(JobSuspended{id, "u1"}, 10);
  EXPECT_TRUE(told(id, h1, 40).control.suspend);
  EXPECT_EQ(told(id, h1, 40).run_left, Duration(seconds(90)) + begun);
  c.step(JobResumed{id, "u1"}, 40);
  EXPECT_EQ(told(id, h1, 50).run_left, Duration(seconds(80)) + begun);
}

TEST_F(RunningOrders, workers_of_a_suspended_job_do_not_hang) {
  auto id = start(SpecBuilder().app("training").tasks(1, 2).elastic(), {h1, h2});
  auto usual = agent_order_for(c.state, c.job(id)).hang_limit;
  c.step(JobSuspended{id, "u1"}, 10);
  EXPECT_GT(agent_order_for(c.state, c.job(id)).hang_limit, usual + std::chrono::hours(24));
  c.step(JobResumed{id, "u1"}, 40);
  EXPECT_EQ(agent_order_for(c.state, c.job(id)).hang_limit, usual + Duration(seconds(30)));
}

TEST_F(RunningOrders, a_restart_counts_and_places_only_those_that_will_be_there) {
  auto id = start(torchrun(), {h1});
  EXPECT_EQ(told(id, h1).launch, Launch::PerHost);
  EXPECT_EQ(told(id, h1).team.restarts, 0u);
  Task more;
  more.number = TaskNumber{2};
  more.host = h2;
  c.step(TasksAdded{id, Attempt{1}, {more}, ""});
  EXPECT_EQ(told(id, h1).control.relaunches, 1u);
  EXPECT_EQ(told(id, h1).team.restarts, 1u);
  EXPECT_EQ(task_count(told(id, h1).hosts), 2u);
  EXPECT_TRUE(starts_something(told(id, h1), c.job(id)));  // script and environment go along
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, at(60), ""});
  EXPECT_EQ(task_count(told(id, h1).hosts), 1u);
  EXPECT_TRUE(told(id, h2).tasks.at(0).leave);
}

TEST_F(RunningOrders, the_host_that_writes_for_other_launchers_is_named_to_the_end) {
  auto spec = SpecBuilder().tasks(2, 2);
  spec.spec.program.command = "torchrun x.py";
  auto id = start(spec, {h1, h2});
  TaskEnded end;
  end.job = id;
  end.attempt = c.job(id).attempt;
  end.task = c.job(id).tasks.front().number;
  c.step(end);
  auto agents = agent_order_for(c.state, c.job(id)).agents;
  ASSERT_EQ(agents.size(), 2u);
  EXPECT_EQ(agents[0].host, h1);
  EXPECT_EQ(agents[0].tasks, 0u);
}

TEST_F(RunningOrders, room_of_a_command_that_is_started_once_leaves_after_its_process) {
  auto spec = torchrun();
  spec.spec.program.command = "deepspeed x.py";
  for (auto& app : c.config.apps) app.resize = ResizeMode::Restart;
  c.reconfigure();
  auto id = start(spec, {h1});
  ASSERT_EQ(told(id, h1).launch, Launch::Once);
  c.step(TasksAdded{id, Attempt{1}, slots_on({h1, h2}), ""});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 21});
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}, TaskNumber{3}}, at(60), ""});
  EXPECT_TRUE(told(id, h1).tasks.at(1).leave);  // the host of the process sees its end by itself
  EXPECT_FALSE(told(id, h2).tasks.at(0).leave);
  auto actions = c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 22});
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action(OrderHost{h2, id})), actions.end());
  EXPECT_TRUE(told(id, h2).tasks.at(0).leave);
}

TEST_F(RunningOrders, a_notice_goes_to_the_first_host_with_the_slots_it_is_about) {
  auto spec = SpecBuilder().tasks(1, 8).elastic().app("batch");
  spec.spec.side.notify = "tell me";
  auto id = start(spec, {h1});
  c.step(TasksAdded{id, Attempt{1}, slots_on({h1, h2, h2}), ""});
  auto order = told(id, h1);
  ASSERT_TRUE(order.change.notice);
  EXPECT_EQ(order.change.command, "tell me");
  EXPECT_EQ(order.change.hosts, "h1 1 h2 2");
  EXPECT_FALSE(told(id, h2).change.notice);
}

TEST_F(RunningOrders, other_hosts_wait_for_the_first_ones_pre_execution_command) {
  auto spec = SpecBuilder().app("training").tasks(2, 2);
  spec.spec.side.pre = "prepare";
  auto id = c.submit(spec);
  c.dispatch(id, {h1, h2});
  EXPECT_EQ(told(id, h1).tasks.size(), 1u);
  EXPECT_TRUE(told(id, h2).tasks.empty());
  auto actions = c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 7});
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action(OrderHost{h2, id})), actions.end());
  EXPECT_EQ(told(id, h2).tasks.size(), 1u);
}

TEST_F(RunningOrders, other_hosts_wait_for_the_port_that_the_first_one_leases) {
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  c.dispatch(id, {h1, h2});
  EXPECT_EQ(told(id, h1).team.port, 0u);
  EXPECT_TRUE(told(id, h2).tasks.empty());
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 7, 20444});
  EXPECT_EQ(told(id, h2).tasks.size(), 1u);
  EXPECT_EQ(told(id, h2).team.port, 20444u);
}

TEST_F(RunningOrders, other_hosts_do_not_wait_for_a_start_that_is_over) {
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  c.dispatch(id, {h1, h2});
  auto actions = c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}});  // its host was away meanwhile
  EXPECT_NE(std::find(actions.begin(), actions.end(), Action(OrderHost{h2, id})), actions.end());
  EXPECT_EQ(told(id, h2).tasks.size(), 1u);
}

TEST_F(RunningOrders, a_batch_job_needs_no_port_and_nobody_waits) {
  auto id = c.submit(SpecBuilder().tasks(2, 2));
  c.dispatch(id, {h1, h2});
  EXPECT_EQ(told(id, h2).tasks.size(), 1u);
}

TEST_F(RunningOrders, a_port_is_heard_of_though_its_task_was_known_to_run) {
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  c.dispatch(id, {h1, h2});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 7});  // from the host's list of what runs
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 7, 20444});
  EXPECT_EQ(told(id, h2).team.port, 20444u);
}

}  // namespace
}  // namespace wm::master
