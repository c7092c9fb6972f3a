// Role: whole passes: how elastic and rigid jobs share, by user, plan, owner and queue.
#include "libwm/sched/schedule.h"

#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;
using test::SpecBuilder;
using Schedule = test::SchedCluster;
using Numbers = std::vector<TaskNumber>;

TEST_F(Schedule, an_elastic_job_alone_gets_all_it_can_use) {
  gpu_hosts(4);
  auto a = run.submit(elastic("ann"));
  EXPECT_EQ(run.settle(), 1);
  EXPECT_EQ(run.size(a), 4u);
}

TEST_F(Schedule, a_second_elastic_job_halves_the_first) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto b = submit_and_settle(elastic("bob"));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size(b), 2u);
}

TEST_F(Schedule, the_highest_numbered_leave_and_the_newcomer_waits_for_them) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto b = run.submit(elastic("bob"));
  auto plan = run.pass();
  ASSERT_EQ(plan.shrinks.size(), 1u);
  EXPECT_EQ(plan.shrinks[0].job, a);
  EXPECT_EQ(plan.shrinks[0].tasks, (Numbers{{4}, {3}}));
  EXPECT_TRUE(plan.starts.empty());
  EXPECT_EQ(run.code(b), PendCode::Released);
  EXPECT_EQ(run.why(b), "Waiting for 2 slots being released by job <1>");
}

TEST_F(Schedule, the_same_shortage_does_not_shrink_twice) {
  gpu_hosts(4);
  submit_and_settle(elastic("ann"));
  run.submit(elastic("bob"));
  run.pass();
  EXPECT_TRUE(run.pass().idle());
}

TEST_F(Schedule, a_newcomer_starts_with_what_is_free_and_grows_later) {
  gpu_hosts(5);
  auto a = submit_and_settle(elastic("ann", 1, 4));
  auto b = run.submit(elastic("bob"));
  auto plan = run.pass();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].tasks.size(), 1u);
  run.let_leave();
  run.settle();
  EXPECT_EQ(run.size(a) + run.size(b), 5u);
  EXPECT_GE(run.size(b), 2u);
}

TEST_F(Schedule, users_of_a_plan_share_equally_whatever_their_number_of_jobs) {
  gpu_hosts(4);
  auto a1 = run.submit(elastic("ann")), a2 = run.submit(elastic("ann"));
  auto b = submit_and_settle(elastic("bob"));
  EXPECT_EQ(run.size(a1), 1u);
  EXPECT_EQ(run.size(a2), 1u);
  EXPECT_EQ(run.size(b), 2u);
}

TEST_F(Schedule, the_first_grows_back_when_the_second_ends) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto b = submit_and_settle(elastic("bob"));
  run.end(b);
  EXPECT_EQ(run.settle(), 1);
  EXPECT_EQ(run.size(a), 4u);
}

TEST_F(Schedule, a_rigid_job_of_a_higher_queue_shrinks_the_elastic_one) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = submit_and_settle(rigid("ann", 2).queue("high"));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size(r), 2u);
  EXPECT_EQ(run.job(a).attempt, Attempt{1});  // not restarted
}

TEST_F(Schedule, a_higher_queue_takes_even_beyond_its_users_share) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = submit_and_settle(rigid("bob", 3).queue("high"));
  EXPECT_EQ(run.size(a), 1u);
  EXPECT_EQ(run.size(r), 3u);
}

TEST_F(Schedule, a_higher_queue_takes_from_the_lowest_queue_first) {
  gpu_hosts(6);
  auto low = run.submit(elastic("ann", 1, 3).queue("low"));
  auto normal = submit_and_settle(elastic("ann", 1, 3));
  auto r = submit_and_settle(rigid("bob", 2).queue("high"));
  EXPECT_EQ(run.size(r), 2u);
  EXPECT_EQ(run.size(low) + run.size(normal), 4u);
}

TEST_F(Schedule, jobs_that_follow_each_other_never_drain_a_higher_queue) {
  gpu_hosts(8);
  auto high = run.submit(elastic("ann", 1, 4).queue("high"));
  auto low = submit_and_settle(elastic("bob", 1, 4).queue("low"));
  submit_and_settle(rigid("eve", 1).array(1, 8));
  EXPECT_GE(run.size(high), 3u);  // a third of eight, rounded up: its share
  EXPECT_EQ(run.size(low), 1u);
}

TEST_F(Schedule, a_job_of_the_same_queue_waits_when_it_asks_beyond_its_share) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = run.submit(rigid("bob", 3));
  EXPECT_EQ(run.settle(), 0);
  EXPECT_EQ(run.size(a), 4u);
  EXPECT_EQ(run.code(r), PendCode::Resources);
}

TEST_F(Schedule, a_job_of_the_same_queue_within_its_share_shrinks_others) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto r = submit_and_settle(rigid("bob", 2));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size(r), 2u);
}

TEST_F(Schedule, floors_are_never_taken) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann", 3, 4));
  auto r = run.submit(rigid("bob", 2).queue("high"));
  EXPECT_EQ(run.settle(), 0);
  EXPECT_EQ(run.size(a), 4u);
  EXPECT_EQ(run.size(r), 0u);
}

TEST_F(Schedule, a_rigid_running_job_is_never_shrunk) {
  gpu_hosts(4);
  auto r = submit_and_settle(rigid("ann", 4).queue("low"));
  run.submit(rigid("bob", 1).queue("high"));
  EXPECT_EQ(run.settle(), 0);
  EXPECT_EQ(run.size(r), 4u);
}

// Waiting for its first epoch would let its surplus wander to others and back.
TEST_F(Schedule, a_launching_job_gives_up_its_surplus_too) {
  gpu_hosts(4);
  auto a = run.submit(elastic("ann"));
  run.dispatch(a, {HostId{1}, HostId{2}, HostId{3}, HostId{4}});  // still launching
  auto b = run.submit(elastic("bob"));
  auto plan = run.pass();
  ASSERT_EQ(plan.shrinks.size(), 1u);
  EXPECT_EQ(plan.shrinks[0].job, a);
  EXPECT_EQ(plan.shrinks[0].tasks.size(), 2u);
  EXPECT_EQ(run.size(b), 0u);  // its slots are not free yet
}

TEST_F(Schedule, two_plans_with_shares_one_to_three) {
  plan({.path = "/a", .shares = 1});
  plan({.path = "/b", .shares = 3});
  gpu_hosts(8);
  auto a = submit_and_settle(elastic("ann", 1, 8).plan("/a"));
  auto b = submit_and_settle(elastic("bob", 1, 8).plan("/b"));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size(b), 6u);
}

TEST_F(Schedule, a_plan_that_is_not_configured_counts_as_its_parent) {
  plan({.path = "/a"});
  gpu_hosts(4);
  auto a = run.submit(elastic("ann").plan("/a/x"));
  auto b = submit_and_settle(elastic("ann").plan("/a"));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size(b), 2u);
}

TEST_F(Schedule, an_owner_reclaims_what_it_lent) {
  plan({.path = "/a", .owns = 3});
  plan({.path = "/b"});
  gpu_hosts(4);
  auto b = submit_and_settle(elastic("bob").plan("/b"));
  EXPECT_EQ(run.size(b), 4u);
  auto a = submit_and_settle(elastic("ann").plan("/a"));
  EXPECT_EQ(run.size(a), 3u);
  EXPECT_EQ(run.size(b), 1u);
}

TEST_F(Schedule, an_owner_that_does_not_lend_keeps_its_slots_idle) {
  plan({.path = "/a", .owns = 3, .lend = 1});
  plan({.path = "/b"});
  gpu_hosts(4);
  auto b = submit_and_settle(elastic("bob").plan("/b"));
  EXPECT_EQ(run.size(b), 2u);
}

TEST_F(Schedule, a_plan_that_may_not_borrow_takes_only_what_nobody_owns) {
  plan({.path = "/a", .owns = 3});
  plan({.path = "/b", .borrow = Borrow::None});
  gpu_hosts(4);
  auto b = submit_and_settle(elastic("bob").plan("/b"));
  EXPECT_EQ(run.size(b), 1u);
}

TEST_F(Schedule, a_plan_limit_holds_and_is_named) {
  plan({.path = "/a", .limit = 2});
  gpu_hosts(4);
  auto first = run.submit(rigid("ann", 2).plan("/a"));
  auto second = submit_and_settle(rigid("ann", 1).plan("/a"));
  EXPECT_EQ(run.size(first), 2u);
  EXPECT_EQ(run.code(second), PendCode::PlanLimit);
  EXPECT_EQ(run.why(second), "Plan has reached its limit: plan </a>, 2 GPUs");
}

TEST_F(Schedule, a_plan_of_policy_priority_serves_the_higher_queue_in_full) {
  plan({.path = "/a", .policy = PlanPolicy::Priority});
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann").plan("/a"));
  auto b = submit_and_settle(elastic("bob", 1, 3).plan("/a").queue("high"));
  EXPECT_EQ(run.size(a), 1u);
  EXPECT_EQ(run.size(b), 3u);
}

TEST_F(Schedule, jobs_of_a_user_start_by_queue_then_in_submit_order) {
  run.host(1);
  auto first = run.submit(slots("ann", 1)), second = run.submit(slots("ann", 1));
  auto high = run.submit(slots("ann", 1).queue("high"));
  run.pass();
  EXPECT_EQ(run.size(high), 1u);
  run.end(high);
  run.pass();
  EXPECT_EQ(run.size(first), 1u);
  EXPECT_EQ(run.size(second), 0u);
}

TEST_F(Schedule, between_users_the_odd_slot_goes_to_the_older_job) {
  run.host(1);
  auto bob = run.submit(slots("bob", 1)), ann = run.submit(slots("ann", 1));
  run.pass();
  EXPECT_EQ(run.size(bob), 1u);
  EXPECT_EQ(run.size(ann), 0u);
}

TEST_F(Schedule, a_range_without_ar_starts_with_what_there_is) {
  run.host(3);
  auto job = run.submit(SpecBuilder().tasks(2, 8));
  run.pass();
  EXPECT_EQ(run.size(job), 3u);
  EXPECT_EQ(run.settle(), 0);
}

TEST_F(Schedule, bresize_below_the_size_shrinks_though_nobody_waits) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  run.step(CapChanged{a, 3, false, "ann"});
  auto plan = run.pass();
  ASSERT_EQ(plan.shrinks.size(), 1u);
  EXPECT_EQ(plan.shrinks[0].tasks, (Numbers{{4}}));
  run.let_leave();
  EXPECT_EQ(run.settle(), 0);
  EXPECT_EQ(run.size(a), 3u);
}

TEST_F(Schedule, the_lead_of_an_elastic_job_is_never_asked_to_leave) {
  gpu_hosts(2);
  auto a = submit_and_settle(elastic("ann"));
  ASSERT_EQ(run.size(a), 2u);
  auto spec = elastic("bob");
  spec.spec.asked.hosts = {"h1"};  // where the first task of a is
  auto b = run.submit(spec);
  EXPECT_EQ(run.settle(), 0);
  EXPECT_EQ(run.size(b), 0u);
  EXPECT_EQ(run.size(a), 2u);
}

TEST_F(Schedule, leavers_are_chosen_on_the_host_that_is_needed) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto spec = elastic("bob", 1, 1);
  spec.spec.asked.hosts = {"h2"};
  auto b = run.submit(spec);
  auto plan = run.pass();
  ASSERT_EQ(plan.shrinks.size(), 1u);
  EXPECT_EQ(plan.shrinks[0].tasks, (Numbers{{2}}));
  run.let_leave();
  run.settle();
  EXPECT_EQ(run.size(a), 3u);
  EXPECT_EQ(run.size(b), 1u);
}

TEST_F(Schedule, nobody_shrinks_for_a_job_that_cannot_be_placed) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto spec = rigid("bob", 2).queue("high");
  spec.spec.span.one_host = true;  // no host has two GPUs
  auto r = run.submit(spec);
  EXPECT_EQ(run.settle(), 0);
  EXPECT_EQ(run.size(a), 4u);
  EXPECT_EQ(run.code(r), PendCode::Resources);
}

TEST_F(Schedule, one_host_is_emptied_for_a_job_that_needs_it_whole) {
  gpu_hosts(2, 2);
  auto a = submit_and_settle(elastic("ann"));
  auto spec = rigid("bob", 2).queue("high");
  spec.spec.span.one_host = true;
  auto r = submit_and_settle(spec);
  EXPECT_EQ(run.size(a), 2u);
  ASSERT_EQ(run.size(r), 2u);
  EXPECT_EQ(run.job(r).tasks[0].host, HostId{2});
  EXPECT_EQ(run.job(r).tasks[1].host, HostId{2});
}

// Half of 8 GPUs is cat's; of the other half two jobs of ann give one each, on different hosts.
TEST_F(Schedule, a_newcomers_first_host_is_whole) {
  gpu_hosts(4, 2);
  plan({.path = "/cat"});
  plan({.path = "/others"});
  auto a = submit_and_settle(elastic("ann", 1, 2).plan("/others"));
  auto b = submit_and_settle(elastic("ann", 1, 2).plan("/others"));
  auto full = submit_and_settle(elastic("cat", 1, 4).plan("/cat"));
  auto newcomer = submit_and_settle(elastic("bob", 1, 2).plan("/others"));
  EXPECT_EQ(run.size(a), 1u);
  EXPECT_EQ(run.size(b), 1u);
  EXPECT_EQ(run.size(full), 4u) << "it got what a and b gave";
  auto has = [&](JobId id, const Task& task) {
    return run.job(id).tasks.front().host == task.host;
  };
  EXPECT_EQ(run.size(newcomer), 2u);
  for (const Task& task : run.job(newcomer).tasks) EXPECT_TRUE(has(newcomer, task));
}

TEST_F(Schedule, an_amount_that_cannot_be_placed_goes_to_others) {
  gpu_hosts(4);
  auto spec = elastic("bob");
  spec.spec.asked.hosts = {"h4"};
  auto b = run.submit(spec);
  auto a = submit_and_settle(elastic("ann"));
  EXPECT_EQ(run.size(b), 1u);
  EXPECT_EQ(run.size(a), 3u);
}

TEST_F(Schedule, cpu_jobs_use_the_slots_that_gpu_jobs_leave) {
  gpu_hosts(4);
  auto a = run.submit(elastic("ann"));
  auto cpu = submit_and_settle(slots("bob", 4));
  EXPECT_EQ(run.size(a), 4u);
  EXPECT_EQ(run.size(cpu), 4u);
}

TEST_F(Schedule, a_job_with_two_gpus_a_task_is_counted_in_gpus) {
  gpu_hosts(2, 4);
  auto a = submit_and_settle(elastic("ann", 1, 4).gpus(2));
  EXPECT_EQ(run.size(a), 4u);
  auto b = submit_and_settle(elastic("bob", 1, 8));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size(b), 4u);
}

TEST_F(Schedule, a_silent_hosts_job_keeps_its_share) {
  gpu_hosts(4);
  auto a = submit_and_settle(rigid("ann", 4));
  run.step(HostSilent{HostId{4}});
  auto b = run.submit(elastic("bob"));
  EXPECT_EQ(run.settle(), 0);  // it may still run there: its slots are not free
  EXPECT_EQ(run.size(a), 4u);
  EXPECT_EQ(run.size(b), 0u);
}

}  // namespace
}  // namespace wm::sched
