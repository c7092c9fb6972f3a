// Hosts that are drained: others take the places of what runs there first, within the jobs' shares,
// and only then it leaves; what finds no place elsewhere stays as far as its job's minimum wants
// it.
#include "libwm/sched/placement/moves.h"

#include "libwm/model/groups.h"
#include "libwm/sched/admit.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::SpecBuilder;

class Moves : public test::SchedCluster {
 protected:
  void drain(HostId host) { run.step(HostClosed{host, "root", "disk", false, true}); }
  std::uint32_t on(JobId id, HostId host) const {
    std::uint32_t count = 0;
    for (const Task& task : run.job(id).tasks) count += task.host == host && task.holds_slot();
    return count;
  }
  SpecBuilder service(std::uint32_t routers, std::uint32_t kernels) {
    SpecBuilder builder;
    builder.spec.exec.service = "ping";
    builder.group({.name = "router",
                   .min_tasks = routers,
                   .max_tasks = routers,
                   .restart = Restart::Independent});
    builder.group({.name = "kernel",
                   .min_tasks = kernels,
                   .max_tasks = std::max(1u, kernels),
                   .restart = Restart::Independent});
    return builder;
  }
};

TEST_F(Moves, an_elastic_task_elsewhere_first_and_then_it_leaves) {
  auto h1 = run.host(2, 2), h2 = run.host(2, 2);
  auto job = submit_and_settle(elastic("ann", 1, 2));
  ASSERT_EQ(on(job, h1), 2u);
  run.slow = true;
  drain(h1);
  auto plan = run.pass();
  ASSERT_EQ(plan.grows.size(), 1u);
  EXPECT_EQ(plan.grows[0].tasks.size(), 2u);
  for (const Spot& spot : plan.grows[0].tasks) EXPECT_EQ(spot.host, h2);
  EXPECT_TRUE(plan.moves.empty()) << "they have not started";
  EXPECT_TRUE(run.pass().moves.empty());
  run.catch_up();
  plan = run.pass();
  ASSERT_EQ(plan.moves.size(), 1u);
  EXPECT_EQ(plan.moves[0].reason, "moved away from <h1>, which is drained");
  EXPECT_EQ(plan.moves[0].tasks.size(), 2u);
  EXPECT_EQ(run.size(job), 2u);
  run.let_leave();
  EXPECT_EQ(on(job, h1), 0u);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(job, h2), 2u);
}

TEST_F(Moves, nothing_is_placed_there_and_rigid_jobs_run_to_their_end) {
  auto h1 = run.host(4, 4), h2 = run.host(1, 1);
  auto fixed = submit_and_settle(rigid("eve", 1));
  ASSERT_EQ(on(fixed, h1) + on(fixed, h2), 1u);
  auto where = run.job(fixed).tasks[0].host;
  drain(where);
  auto late = submit_and_settle(rigid("eve", 1));
  EXPECT_EQ(on(late, where), 0u);
  EXPECT_EQ(on(fixed, where), 1u);
}

// Fewer slots are left than it has: it keeps what is there elsewhere.
TEST_F(Moves, without_room_elsewhere_it_gives_up_what_is_above_its_minimum) {
  auto h1 = run.host(2, 2), h2 = run.host(2, 2);
  auto job = submit_and_settle(elastic("ann", 2, 4));
  ASSERT_EQ(run.size(job), 4u);
  drain(h1);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(job, h1), 0u);
  EXPECT_EQ(on(job, h2), 2u);
}

TEST_F(Moves, below_its_minimum_it_stays_until_there_is_room) {
  auto h1 = run.host(2, 2), h2 = run.host(2, 2);
  auto job = submit_and_settle(elastic("ann", 3, 4));
  ASSERT_EQ(run.size(job), 4u);
  drain(h1);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(job, h1), 1u) << "three are its minimum";
  EXPECT_EQ(on(job, h2), 2u);
  auto h3 = run.host(1, 1);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(job, h1), 0u);
  EXPECT_EQ(on(job, h3), 1u);
}

TEST_F(Moves, others_share_what_is_left_with_it) {
  auto h1 = run.host(4, 4);
  run.host(4, 4);
  auto moved = submit_and_settle(elastic("ann", 1, 4));
  auto other = submit_and_settle(elastic("bob", 1, 4));
  ASSERT_EQ(on(moved, h1), 4u);
  drain(h1);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(moved), 2u);
  EXPECT_EQ(run.size(other), 2u);
  EXPECT_EQ(on(moved, h1), 0u);
}

TEST_F(Moves, a_router_and_kernels_are_replaced_though_their_number_is_fixed) {
  run.agents = false;
  auto h1 = run.host(8);
  auto base = submit_and_settle(service(1, 2));
  JobId router{base.job, 1}, kernel{base.job, 2};
  ASSERT_EQ(on(kernel, h1), 2u);
  run.step(TasksServing{kernel, Attempt{1}, {TaskNumber{1}, TaskNumber{2}}});
  auto h2 = run.host(8);
  run.now = 60;  // nobody can be about to connect any more
  drain(h1);
  run.pass();
  EXPECT_EQ(run.size(router), 1u);
  EXPECT_EQ(run.size(kernel), 2u);
  auto plan = run.pass();
  ASSERT_EQ(plan.moves.size(), 1u);
  EXPECT_EQ(plan.moves[0].job, router);
  EXPECT_EQ(on(kernel, h1), 2u) << "the new ones run, and serve nobody yet";
  run.step(TasksServing{kernel, Attempt{1}, {TaskNumber{1}, TaskNumber{2}, TaskNumber{3}}});
  run.pass();
  run.let_leave();
  EXPECT_EQ(on(kernel, h1), 1u);
  run.step(TasksServing{kernel, Attempt{1}, {TaskNumber{1}, TaskNumber{3}, TaskNumber{4}}});
  run.pass();
  run.let_leave();
  EXPECT_EQ(on(kernel, h1), 0u);
  EXPECT_EQ(on(router, h1), 0u);
  EXPECT_EQ(on(kernel, h2), 2u);
  EXPECT_GE(run.settle(), 0);
}

// Nobody asked for it to go: the group may have no task, but its router wants one.
TEST_F(Moves, the_last_kernel_stays_where_there_is_no_room_for_another) {
  auto h1 = run.host(2);
  auto base = submit_and_settle(service(1, 0));
  JobId kernel{base.job, 2};
  ASSERT_EQ(on(kernel, h1), 1u);
  drain(h1);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(kernel, h1), 1u);
  EXPECT_EQ(on({base.job, 1}, h1), 1u);
}

TEST_F(Moves, a_host_that_is_opened_keeps_what_is_there_and_nobody_has_too_many) {
  auto h1 = run.host(2, 2);
  auto h2 = run.host(2, 2);
  auto job = submit_and_settle(elastic("ann", 1, 2));
  ASSERT_EQ(on(job, h1), 2u);
  run.slow = true;
  drain(h1);
  run.pass();
  run.step(HostOpened{h1, "root"});
  run.catch_up();
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(job), 2u);
  EXPECT_EQ(on(job, h1) + on(job, h2), 2u);
}

TEST_F(Moves, a_plan_from_before_the_host_was_opened_is_not_carried_out) {
  auto h1 = run.host(2, 2);
  run.host(2, 2);
  submit_and_settle(elastic("ann", 1, 2));
  drain(h1);
  run.pass();
  auto plan = run.plan();
  ASSERT_EQ(plan.moves.size(), 1u);
  EXPECT_EQ(admit(run.state, plan).moves.size(), 1u);
  run.step(HostOpened{h1, "root"});
  EXPECT_TRUE(admit(run.state, plan).moves.empty());
}

TEST_F(Moves, a_job_that_is_stopped_moves_once_it_goes_on) {
  auto h1 = run.host(2, 2);
  auto h2 = run.host(2, 2);
  auto job = submit_and_settle(elastic("ann", 1, 2));
  run.step(JobSuspended{job, "ann"});
  drain(h1);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(job, h1), 2u);
  run.step(JobResumed{job, "ann"});
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(job, h2), 2u);
}

// Rank 0 is where the lead is: it moves like the others, and its job goes on.
TEST_F(Moves, the_member_of_rank_0_leaves_too) {
  auto h1 = run.host(1, 1);
  auto h2 = run.host(1, 1);
  auto job = submit_and_settle(elastic("ann", 1, 1));
  auto old = run.job(job).tasks[0].host;
  drain(old);
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(on(job, old), 0u);
  EXPECT_EQ(on(job, old == h1 ? h2 : h1), 1u);
  EXPECT_EQ(run.job(job).state, JobState::Running);
}

}  // namespace
}  // namespace wm::sched
