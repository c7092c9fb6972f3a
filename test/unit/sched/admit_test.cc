// Role: what of a plan stands when the cluster has moved on since.
#include "libwm/sched/admit.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;
using Admit = test::SchedCluster;

TEST_F(Admit, a_fresh_plan_stands_whole) {
  gpu_hosts(4);
  run.submit(rigid("ann", 2));
  run.submit(slots("bob", 3));
  auto plan = run.plan();
  auto kept = admit(run.state, plan);
  EXPECT_EQ(kept.starts, plan.starts);
  EXPECT_EQ(kept.starts.size(), 2u);
}

TEST_F(Admit, memory_per_host_is_asked_once_of_each_host) {
  auto h = run.host(4);
  auto all = run.state.hosts.find(h.value)->capacity.mem;
  ASSERT_GT(all.value, 0);
  test::SpecBuilder spec = slots("ann", 3);
  spec.spec.task.mem = all;
  spec.spec.task.mem_per_host = true;
  run.submit(spec);
  auto plan = run.plan();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(admit(run.state, plan).starts.size(), 1u);
}

TEST_F(Admit, a_job_that_was_killed_or_held_meanwhile_does_not_start) {
  run.host(4);
  auto a = run.submit(slots("ann", 1)), b = run.submit(slots("ann", 1)),
       c = run.submit(slots("ann", 1));
  auto plan = run.plan();
  run.step(KillRequested{a, {}});
  run.step(JobHeld{b, "ann"});
  auto kept = admit(run.state, plan);
  ASSERT_EQ(kept.starts.size(), 1u);
  EXPECT_EQ(kept.starts[0].job, c);
}

TEST_F(Admit, what_was_decided_for_what_a_job_asked_before_does_not_stand) {
  run.host(1);
  auto first = run.submit(slots("ann", 1)), second = run.submit(slots("ann", 1));
  auto plan = run.plan();
  plan.promises = {{second, test::at(60)}};
  ASSERT_EQ(admit(run.state, plan).starts.size(), 1u);
  ASSERT_EQ(admit(run.state, plan).promises.size(), 1u);
  for (JobId job : {first, second}) run.step(JobModified{job, run.job(job).sealed, "ann"});
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
  EXPECT_TRUE(admit(run.state, plan).promises.empty());
  EXPECT_EQ(admit(run.state, run.plan()).starts.size(), 1u);
}

TEST_F(Admit, nothing_starts_on_a_host_that_closed_or_fell_silent) {
  auto h1 = run.host(1);
  run.host(1);
  run.submit(slots("ann", 1));
  auto b = run.submit(slots("ann", 1));
  auto plan = run.plan();
  run.step(HostClosed{h1, "admin", ""});
  auto kept = admit(run.state, plan);
  ASSERT_EQ(kept.starts.size(), 1u);
  EXPECT_EQ(kept.starts[0].job, b);
  run.step(HostSilent{HostId{2}});
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
}

TEST_F(Admit, a_slot_taken_meanwhile_is_not_taken_twice) {
  auto h = run.host(1);
  auto a = run.submit(slots("ann", 1));
  auto plan = run.plan();
  ASSERT_EQ(plan.starts.size(), 1u);
  auto b = run.submit(slots("bob", 1));
  run.dispatch(b, {h});
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
  EXPECT_EQ(run.size(a), 0u);
}

TEST_F(Admit, a_gpu_taken_meanwhile_is_not_taken_twice) {
  auto h = run.host(4, 1);
  run.submit(rigid("ann", 1));
  auto plan = run.plan();
  run.run(run.submit(rigid("bob", 1)), {h});
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
}

TEST_F(Admit, memory_taken_meanwhile_is_not_taken_twice) {
  auto h = run.host(4);
  auto big = slots("ann", 1);
  big.spec.task.mem = Bytes{std::int64_t{10} << 30};
  run.submit(big);
  auto plan = run.plan();
  run.dispatch(run.submit(big), {h});
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
}

TEST_F(Admit, pieces_of_one_plan_are_counted_together) {
  run.host(1);
  auto a = run.submit(slots("ann", 1)), b = run.submit(slots("ann", 1));
  Plan plan;
  plan.starts = {{a, {{HostId{1}, {}}}}, {b, {{HostId{1}, {}}}}};
  auto kept = admit(run.state, plan);
  ASSERT_EQ(kept.starts.size(), 1u);
  EXPECT_EQ(kept.starts[0].job, a);
}

TEST_F(Admit, a_gang_that_no_longer_fits_takes_nothing) {
  run.host(2);
  auto a = run.submit(slots("ann", 3)), b = run.submit(slots("ann", 2));
  Plan plan;
  Spot spot{HostId{1}, {}};
  plan.starts = {{a, {spot, spot, spot}}, {b, {spot, spot}}};
  auto kept = admit(run.state, plan);
  ASSERT_EQ(kept.starts.size(), 1u);
  EXPECT_EQ(kept.starts[0].job, b);
}

TEST_F(Admit, a_start_below_the_minimum_or_above_the_cap_is_refused) {
  run.host(4);
  auto a = run.submit(slots("ann", 2)), b = run.submit(slots("ann", 1));
  Plan plan;
  Spot spot{HostId{1}, {}};
  plan.starts = {{a, {spot}}, {b, {spot, spot}}};
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
}

TEST_F(Admit, nothing_of_an_inactive_queue_starts) {
  run.host(1);
  run.submit(slots("ann", 1).queue("low"));
  auto plan = run.plan();
  run.step(QueueChanged{"low", QueueStandingChange::Inactivate, "admin", ""});
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
}

TEST_F(Admit, elements_without_an_object_start) {
  run.host(4);
  auto base = run.submit(slots("ann", 1).array(1, 2));
  auto plan = run.plan();
  EXPECT_EQ(admit(run.state, plan).starts.size(), 2u);
  run.step(KillRequested{base, {}});
  EXPECT_TRUE(admit(run.state, plan).starts.empty());
}

TEST_F(Admit, a_piece_for_an_older_attempt_is_dropped) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  Plan plan;
  plan.shrinks = {{a, Attempt{2}, {TaskNumber{4}}, ""}};
  plan.grows = {{a, Attempt{2}, {{HostId{1}, {}}}, ""}};
  EXPECT_TRUE(admit(run.state, plan).idle());
}

TEST_F(Admit, a_job_that_is_finishing_is_not_resized) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  run.submit(elastic("bob"));
  auto plan = run.plan();
  ASSERT_EQ(plan.shrinks.size(), 1u);
  run.step(TaskEnded{a, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  EXPECT_TRUE(admit(run.state, plan).shrinks.empty());
}

TEST_F(Admit, a_leaver_that_is_gone_already_voids_its_piece) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  run.submit(elastic("bob"));
  auto plan = run.plan();
  run.step(TaskEnded{a, Attempt{1}, TaskNumber{4}, 9, Term::None, {}, ""});
  EXPECT_TRUE(admit(run.state, plan).shrinks.empty());
}

TEST_F(Admit, the_first_task_and_the_minimum_are_kept) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 3, 4));
  Plan first, below;
  first.shrinks = {{a, Attempt{1}, {TaskNumber{1}}, ""}};
  below.shrinks = {{a, Attempt{1}, {TaskNumber{4}, TaskNumber{3}}, ""}};
  EXPECT_TRUE(admit(run.state, first).idle());
  EXPECT_TRUE(admit(run.state, below).idle());
}

TEST_F(Admit, a_cap_lowered_meanwhile_stops_growth) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 1, 2));
  run.step(CapChanged{a, 2, false, "ann"});
  Plan plan;
  plan.grows = {{a, Attempt{1}, {{HostId{4}, {0}}}, ""}};
  EXPECT_TRUE(admit(run.state, plan).grows.empty());
}

TEST_F(Admit, what_waits_is_passed_on) {
  run.host(1);
  run.submit(slots("ann", 1));
  run.submit(slots("ann", 1));
  auto plan = run.plan();
  EXPECT_EQ(admit(run.state, plan).waiting.size(), 1u);
}

}  // namespace
}  // namespace wm::sched
