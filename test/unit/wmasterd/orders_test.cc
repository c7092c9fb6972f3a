// What hosts and agents are told about jobs in every state that real events lead to.
#include "daemons/wmasterd/hosts/orders.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

HostOrder told(const ClusterBuilder& c, JobId id, HostId host, double seconds = 0) {
  return order_for(c.state, c.job(id), host, at(seconds));
}

std::vector<std::uint32_t> numbers(const auto& tasks) {
  std::vector<std::uint32_t> found;
  for (const auto& task : tasks) found.push_back(task.task.value);
  return found;
}

/// Tasks 1 and 3 on h1, task 2 on h2, all running.
struct Spread : ClusterBuilder {
  HostId h1 = host(4, 2), h2 = host(4, 2);
  JobId id;
  explicit Spread(SpecBuilder spec) : id(submit(spec.tasks(1, 4))) { run(id, {h1, h2, h1}); }
};

TaskEnded ended(JobId id, std::uint32_t task, std::int32_t status) {
  return {id, Attempt{1}, TaskNumber{task}, status, Term::None, {}, ""};
}

TEST(orders, a_host_is_told_its_own_tasks_and_how_many_the_others_have) {
  Spread c(SpecBuilder().app("training").gpus(1));
  auto first = told(c, c.id, c.h1), second = told(c, c.id, c.h2);
  EXPECT_EQ(numbers(first.tasks), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(numbers(second.tasks), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(unfolded(first.hosts.runs), (std::vector<HostTasks>{{"h1", 2}, {"h2", 1}}));
  EXPECT_EQ(first.hosts.first_address, "127.0.0.1");
  EXPECT_EQ(first.hosts.here, (std::vector<TaskNumber>{{1}, {3}}));
  EXPECT_EQ(second.hosts.runs, first.hosts.runs);
  EXPECT_EQ(second.hosts.first_address, first.hosts.first_address);
  EXPECT_EQ(second.hosts.here, (std::vector<TaskNumber>{{2}}));
  EXPECT_EQ(second.hosts.hosts_before, 1u);
  EXPECT_EQ(second.hosts.tasks_before, 2u);
  EXPECT_EQ(first.tasks[1].gpus, (std::vector<std::uint16_t>{1}));
  EXPECT_EQ(first.tasks[1].gpu_uuids, (std::vector<std::string>{"gpu1"}));
  EXPECT_TRUE(first.first_host);
  EXPECT_FALSE(second.first_host);
}

TEST(orders, the_signed_specification_goes_along_as_it_came) {
  Spread c(SpecBuilder().app("training"));
  auto order = told(c, c.id, c.h2);
  EXPECT_EQ(order.sealed.spec, "bytes");
  EXPECT_EQ(order.sealed.credential, "credential");
  EXPECT_EQ(order.sealed.request_key, "0123456789abcdef");
  EXPECT_EQ(order.resolved, c.job(c.id).spec());
  EXPECT_EQ(order.app.name, "training");
  EXPECT_EQ(order.key, c.job(c.id).key);
  EXPECT_EQ(order.generation, c.job(c.id).generation);
  EXPECT_EQ(order.attempt, Attempt{1});
  EXPECT_EQ(order.team.restarts, 0u);
}

TEST(orders, an_order_does_not_grow_with_the_tasks_on_other_hosts) {
  ClusterBuilder c;
  std::vector<HostId> places;
  for (int n = 0; n < 300; ++n) places.insert(places.end(), 4, c.host(4, 0));
  auto few = c.submit(SpecBuilder().tasks(1, 4)), many = c.submit(SpecBuilder().tasks(1, 1200));
  c.dispatch(few, {places.begin(), places.begin() + 4});
  auto one = codec::encode(told(c, few, places[0])).size();
  c.dispatch(many, std::vector<HostId>(places.begin() + 4, places.end()));
  EXPECT_LT(codec::encode(told(c, many, places[600])).size(), one + 100);
}

TEST(orders, a_host_that_still_writes_hears_that_the_job_is_at_its_end) {
  Spread c(SpecBuilder().elastic());
  c.enter_epoch(c.id, 1);
  for (std::uint32_t task = 2; task <= 3; ++task) c.step(ended(c.id, task, 0));
  auto last = ended(c.id, 1, 0);
  last.delivers = true;
  EXPECT_FALSE(told(c, c.id, c.h1).control.end);
  c.step(last);
  EXPECT_TRUE(has_work_on(c.job(c.id), c.h1));
  EXPECT_FALSE(has_work_on(c.job(c.id), c.h2));
  EXPECT_TRUE(told(c, c.id, c.h1).control.end);
}

TEST(orders, tasks_that_are_gone_are_nobodys) {
  Spread c(SpecBuilder().elastic());
  c.enter_epoch(c.id, 1);
  c.step(ended(c.id, 2, 0));
  EXPECT_FALSE(has_work_on(c.job(c.id), c.h2));
  EXPECT_TRUE(has_work_on(c.job(c.id), c.h1));
  EXPECT_TRUE(told(c, c.id, c.h2).tasks.empty());
  EXPECT_EQ(unfolded(told(c, c.id, c.h1).hosts.runs), (std::vector<HostTasks>{{"h1", 2}}));
}

TEST(orders, hosts_are_told_that_workers_leave_by_themselves) {
  Spread c(SpecBuilder().elastic());
  EXPECT_FALSE(told(c, c.id, c.h1).team.in_place);
  c.step(InPlaceSeen{c.id, Attempt{1}});
  EXPECT_TRUE(told(c, c.id, c.h1).team.in_place);
}

TEST(orders, a_leaver_leaves_and_a_condemned_task_is_killed_with_its_reason) {
  Spread c(SpecBuilder().elastic());
  c.enter_epoch(c.id, 1);
  c.step(TasksLeaving{c.id, Attempt{1}, {TaskNumber{3}}, at(60), "reclaimed"});
  auto asked = told(c, c.id, c.h1).tasks;
  EXPECT_FALSE(asked[0].leave);
  EXPECT_TRUE(asked[1].leave);
  EXPECT_FALSE(asked[1].kill);
  EXPECT_EQ(asked[1].term, Term::None);
  c.step(TaskCondemned{c.id, Attempt{1}, TaskNumber{3}, Term::ReclaimGrace, "late"});
  auto forced = told(c, c.id, c.h1).tasks;
  EXPECT_FALSE(forced[0].kill);
  EXPECT_TRUE(forced[1].kill);
  EXPECT_EQ(forced[1].term, Term::ReclaimGrace);
}

TEST(orders, a_killed_job_ends_with_its_wish) {
  Spread c(SpecBuilder().app("training"));
  EXPECT_FALSE(told(c, c.id, c.h1).control.end);
  auto before = told(c, c.id, c.h1).generation;
  c.step(KillRequested{c.id, {Term::Admin, "root", "", at(0)}});
  auto order = told(c, c.id, c.h1);
  EXPECT_TRUE(order.control.end);
  EXPECT_EQ(order.control.end_term, Term::Admin);
  EXPECT_GT(order.generation, before);
}

TEST(orders, a_preempted_job_is_told_so_and_not_to_end) {
  Spread c(SpecBuilder().app("training"));
  auto before = told(c, c.id, c.h1);
  EXPECT_FALSE(before.control.preempt);
  c.step(JobPreempted{c.id, Attempt{1}, {JobId{9, 0}, at(30), true, "preempted by job <9>"}});
  auto order = told(c, c.id, c.h1);
  EXPECT_TRUE(order.control.preempt);
  EXPECT_FALSE(order.control.end);
  EXPECT_GT(order.generation, before.generation);
}

TEST(orders, a_rigid_job_ends_when_a_task_fails) {
  Spread c(SpecBuilder().app("training"));
  c.step(ended(c.id, 2, 3 << 8));
  auto order = told(c, c.id, c.h1);
  EXPECT_TRUE(order.control.end);
  EXPECT_EQ(order.control.end_term, Term::TaskFailed);
}

TEST(orders, the_run_limit_counts_from_the_start) {
  ClusterBuilder c;
  auto host = c.host(4);
  SpecBuilder spec;
  spec.spec.run_limit = std::chrono::seconds(100);
  auto id = c.submit(spec);
  c.dispatch(id, {host});
  EXPECT_EQ(told(c, id, host, 50).run_left, std::chrono::seconds(100)) << "not started";
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 77}, 10);
  EXPECT_EQ(told(c, id, host, 40).run_left, std::chrono::seconds(70));
  EXPECT_EQ(told(c, id, host, 500).run_left, Duration(1)) << "over, yet not: no limit";
}

TEST(orders, a_job_without_limit_has_its_queues) {
  ClusterBuilder c;
  SpecBuilder spec;
  EXPECT_EQ(run_limit_of(c.config, spec.spec), Duration{});
  c.config.queues.front().run_limit.usual = std::chrono::hours(2);
  EXPECT_EQ(run_limit_of(c.config, spec.spec), std::chrono::hours(2));
  spec.spec.run_limit = std::chrono::hours(1);
  EXPECT_EQ(run_limit_of(c.config, spec.spec), std::chrono::hours(1));
  spec.spec.run_limit = {};
  EXPECT_EQ(run_limit_of(c.config, spec.queue("gone").spec), Duration{});
}

TEST(orders, blobs_are_wanted_while_a_process_is_to_start_here) {
  ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  c.dispatch(id, {h1, h2});
  EXPECT_TRUE(starts_something(told(c, id, h1), c.job(id)));
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 77});
  EXPECT_FALSE(starts_something(told(c, id, h1), c.job(id)));
  EXPECT_TRUE(starts_something(told(c, id, h2), c.job(id)));
  auto batch = c.submit(SpecBuilder().tasks(2, 2));
  c.dispatch(batch, {h1, h2});
  EXPECT_TRUE(starts_something(told(c, batch, h1), c.job(batch)));
  EXPECT_FALSE(starts_something(told(c, batch, h2), c.job(batch))) << "a bare slot starts nothing";
}

TEST(orders, agents_are_told_who_leaves) {
  Spread c(SpecBuilder().elastic());
  c.enter_epoch(c.id, 1);
  c.step(TasksLeaving{c.id, Attempt{1}, {TaskNumber{2}}, at(60), "reclaimed"});
  c.step(TaskCondemned{c.id, Attempt{1}, TaskNumber{3}, Term::Hung, "hangs"});
  auto order = agent_order_for(c.state, c.job(c.id));
  ASSERT_EQ(numbers(order.tasks), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_FALSE(order.tasks[0].leaving);
  EXPECT_TRUE(order.tasks[1].leaving);
  EXPECT_TRUE(order.tasks[2].leaving) << "condemned";
  EXPECT_EQ(order.tasks[1].host, c.h2);
  c.step(ended(c.id, 2, 0));
  EXPECT_EQ(numbers(agent_order_for(c.state, c.job(c.id)).tasks),
            (std::vector<std::uint32_t>{1, 3}));
}

TEST(orders, agents_of_groups_are_told_where_all_of_them_are) {
  test::ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  auto of = [](const char* name, std::uint32_t tasks) {
    return TaskGroup{.name = name, .min_tasks = tasks, .max_tasks = tasks};
  };
  c.submit(SpecBuilder().group(of("driver", 1)).group(of("worker", 3)));
  JobId driver{1, 1}, worker{1, 2};
  c.run(worker, {h1, h2, h1});
  auto alone = agent_order_for(c.state, c.job(worker));
  ASSERT_EQ(alone.groups.size(), 2u);
  EXPECT_EQ(alone.groups[0], (AgentGroup{"driver", "", {}})) << "it does not run yet";
  c.run(driver, {h2});
  c.step(AgentSeen{worker, Attempt{1}, h2, "", {"127.0.0.1:6", ""}});
  auto order = agent_order_for(c.state, c.job(driver));
  ASSERT_EQ(order.groups.size(), 2u);
  EXPECT_EQ(order.groups[0].key, c.job(driver).key);
  EXPECT_EQ(order.groups[0].agents, order.agents);
  EXPECT_EQ(order.groups[1].key, c.job(worker).key);
  EXPECT_EQ(order.groups[1].agents,
            (std::vector<AgentPlace>{{h1, "h1", "", 2}, {h2, "h2", "127.0.0.1:6", 1}}));
  EXPECT_TRUE(agent_order_for(c.state, Spread(SpecBuilder()).job({1, 0})).groups.empty());
}

TEST(orders, tasks_are_told_where_the_groups_are_by_name_and_by_address) {
  test::ClusterBuilder c;
  auto h1 = c.host(4), h2 = c.host(4);
  c.submit(SpecBuilder().group({.name = "worker", .role = "w", .min_tasks = 3, .max_tasks = 3}));
  JobId worker{1, 1};
  c.run(worker, {h1, h2, h1});
  auto groups = told(c, worker, h1).team.groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].name, "worker");
  EXPECT_EQ(groups[0].role, "w");
  EXPECT_EQ(groups[0].at, (std::vector<std::string>{"h1:0", "h1:0", "h2:0"})) << "host by host";
  EXPECT_EQ(groups[0].addresses,
            (std::vector<std::string>{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.2:0"}));
}

TEST(orders, agents_are_told_the_lead_and_the_last_epoch) {
  Spread c(SpecBuilder().elastic());
  auto before = agent_order_for(c.state, c.job(c.id));
  EXPECT_EQ(before.lead_host, c.h1);
  EXPECT_EQ(before.lead_address, "") << "its agent was not heard yet";
  c.enter_epoch(c.id, 5);
  auto order = agent_order_for(c.state, c.job(c.id));
  EXPECT_EQ(order.lead, LeadNumber{1});
  EXPECT_EQ(order.lead_address, "127.0.0.1:1");
  EXPECT_EQ(order.last_epoch, EpochNumber{5});
  EXPECT_EQ(order.attempt, Attempt{1});
  EXPECT_GT(order.generation, before.generation);
  EXPECT_EQ(order.hang_limit, c.config.cluster.times.hang_limit);
}

}  // namespace
}  // namespace wm::master
