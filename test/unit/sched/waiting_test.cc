// Role: what keeps jobs waiting (limits, spans, closed hosts, arrays) and what they are told.
#include "libwm/sched/reasons.h"
#include "libwm/sched/schedule.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::slots;
using Waits = test::SchedCluster;

TEST_F(Waits, a_users_limit_holds_and_is_named) {
  user_limit("ann", 2);
  gpu_hosts(4);
  auto a = run.submit(slots("ann", 2)), b = run.submit(slots("ann", 1));
  auto c = submit_and_settle(slots("bob", 1));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size(b), 0u);
  EXPECT_EQ(run.size(c), 1u);
  EXPECT_EQ(run.why(b),
            "The user has reached his/her job slot limit: user <ann>, 2 of 2 slots in use");
}

TEST_F(Waits, elastic_jobs_of_a_limited_user_share_the_limit) {
  user_limit("ann", 2);
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  EXPECT_EQ(run.size(a), 2u);
  auto b = submit_and_settle(elastic("ann"));
  EXPECT_EQ(run.size(a), 1u);
  EXPECT_EQ(run.size(b), 1u);
}

TEST_F(Waits, a_queues_limit_holds_and_is_named) {
  queue("low", [](QueueConf& q) { q.max_slots = 1; });
  run.host(4);
  run.submit(slots("ann", 1).queue("low"));
  auto second = run.submit(slots("bob", 1).queue("low"));
  EXPECT_EQ(run.pass().starts.size(), 1u);
  EXPECT_EQ(run.why(second),
            "The queue has reached its job slot limit: queue <low>, 1 of 1 slots in use");
}

TEST_F(Waits, a_queues_limit_per_user_holds_and_is_named) {
  queue("low", [](QueueConf& q) { q.user_slots = 1; });
  run.host(4);
  run.submit(slots("ann", 1).queue("low"));
  auto second = run.submit(slots("ann", 1).queue("low"));
  auto other = run.submit(slots("bob", 1).queue("low"));
  run.pass();
  EXPECT_EQ(run.size(other), 1u);
  EXPECT_EQ(run.why(second),
            "User has reached the per-user job slot limit of the queue: user <ann>, queue <low>, "
            "1 of 1 slots in use");
}

TEST_F(Waits, of_two_limits_of_a_user_the_one_that_is_reached_is_named) {
  queue("low", [](QueueConf& q) { q.user_slots = 9; });
  user_limit("ann", 2);
  run.host(4);
  submit_and_settle(slots("ann", 2));
  auto id = submit_and_settle(slots("ann", 1).queue("low"));
  EXPECT_EQ(run.why(id),
            "The user has reached his/her job slot limit: user <ann>, 2 of 2 slots in use");
}

TEST_F(Waits, one_that_finds_no_room_takes_no_limit_from_those_that_do) {
  queue("low", [](QueueConf& q) { q.max_slots = 4; });
  run.host(4);
  run.host(4);
  for (int i = 0; i < 2; ++i) submit_and_settle(slots("zoe", 3));
  auto wide = slots("ann", 4).queue("low");
  wide.spec.span.one_host = true;
  auto waits = run.submit(wide), fits = run.submit(slots("ann", 1).queue("low"));
  auto next = run.submit(slots("ann", 4).queue("low"));
  EXPECT_GE(run.settle(), 0);
  EXPECT_EQ(run.size(fits), 1u);
  for (JobId id : {waits, next})
    EXPECT_EQ(run.why(id),
              "The queue has reached its job slot limit: queue <low>, 1 of 4 slots in use");
}

TEST_F(Waits, the_limit_of_one_that_holds_places_at_a_date_is_not_taken) {
  queue("low", [](QueueConf& q) { q.max_slots = 4; });
  run.host(4);
  run.host(4);
  auto busy = slots("zoe", 3);
  busy.spec.run_limit = std::chrono::seconds(100);
  for (int i = 0; i < 2; ++i) submit_and_settle(busy);
  auto wide = slots("ann", 4).queue("low");
  wide.spec.span.one_host = true;
  auto dated = submit_and_settle(wide), late = submit_and_settle(slots("ann", 1).queue("low"));
  EXPECT_EQ(run.promised(dated), 100);
  EXPECT_EQ(run.size(late), 0u);
  EXPECT_EQ(run.why(late),
            "The queue has reached its job slot limit: queue <low>, 0 of 4 slots in use, the rest "
            "goes to jobs before it");
}

TEST_F(Waits, slots_of_a_queue_on_one_host_are_bounded) {
  queue("low", [](QueueConf& q) { q.host_slots = 1; });
  run.host(4);
  run.host(4);
  auto job = run.submit(slots("ann", 2).queue("low"));
  auto next = run.submit(slots("ann", 1).queue("low"));
  run.pass();
  EXPECT_EQ(run.size(job), 2u);
  EXPECT_EQ(run.host_of(HostId{1}).used_slots, 1u);
  EXPECT_EQ(run.size(next), 0u);
  EXPECT_TRUE(run.pass().idle());
}

TEST_F(Waits, gangs_start_whole_or_not_at_all) {
  run.host(2);
  run.host(1);
  auto big = run.submit(slots("ann", 4)), fits = run.submit(slots("ann", 3));
  run.pass();
  EXPECT_EQ(run.size(big), 0u);
  EXPECT_EQ(run.size(fits), 3u);
}

TEST_F(Waits, ptile_puts_exactly_so_many_on_a_host) {
  run.host(3);
  run.host(3);
  auto spec = slots("ann", 4);
  spec.spec.span.ptile = 2;
  auto job = run.submit(spec);
  run.pass();
  ASSERT_EQ(run.size(job), 4u);
  EXPECT_EQ(run.host_of(HostId{1}).used_slots, 2u);
  EXPECT_EQ(run.host_of(HostId{2}).used_slots, 2u);
}

TEST_F(Waits, memory_is_counted) {
  run.host(4);  // 16 GiB
  auto spec = slots("ann", 1);
  spec.spec.task.mem = Bytes{std::int64_t{10} << 30};
  auto a = run.submit(spec), b = run.submit(spec);
  run.pass();
  EXPECT_EQ(run.size(a), 1u);
  EXPECT_EQ(run.size(b), 0u);
  EXPECT_EQ(run.why(b), "Job's resource requirements not satisfied: 1 host");
}

TEST_F(Waits, select_chooses_hosts_and_is_named) {
  run.host(4);
  run.host(8);
  auto spec = slots("ann", 1);
  spec.spec.asked.select = "slots>4";
  auto a = run.submit(spec);
  spec.spec.asked.select = "slots>100";
  auto b = run.submit(spec);
  run.pass();
  EXPECT_EQ(run.job(a).tasks[0].host, HostId{2});
  EXPECT_EQ(run.code(b), PendCode::Requirement);
  EXPECT_EQ(run.why(b), "Job's resource requirements not satisfied: 2 hosts");
}

TEST_F(Waits, closed_and_silent_hosts_are_not_used_and_named) {
  auto h1 = run.host(1), h2 = run.host(1);
  run.step(HostClosed{h1, "admin", "repair"});
  run.step(HostSilent{h2});
  auto job = run.submit(slots("ann", 1));
  EXPECT_TRUE(run.pass().starts.empty());
  auto plan = run.plan();
  auto* reasons = plan.why(job);
  ASSERT_TRUE(reasons);
  ASSERT_EQ(reasons->size(), 2u);
  EXPECT_EQ((*reasons)[0], (PendReason{PendCode::HostsClosed, "Closed by LSF administrator: 1 host",
                                       1, "badmin hopen"}));
  EXPECT_EQ((*reasons)[1].code, PendCode::HostsSilent);
}

TEST_F(Waits, a_closed_host_keeps_its_running_job) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  run.step(HostClosed{HostId{4}, "admin", ""});
  EXPECT_EQ(run.settle(), 0);
  EXPECT_EQ(run.size(a), 4u);
}

TEST_F(Waits, a_stuck_slot_is_out_of_capacity) {
  run.host(1);
  auto a = run.submit(slots("ann", 1));
  run.pass();
  run.step(KillRequested{a, {}});
  run.step(TaskStuck{a, Attempt{1}, TaskNumber{1}, "zombie"});
  auto b = run.submit(slots("bob", 1));
  EXPECT_TRUE(run.pass().idle());
  EXPECT_NE(run.why(b), "");
}

TEST_F(Waits, slots_of_a_job_being_killed_are_coming) {
  run.host(1);
  auto a = run.submit(slots("ann", 1));
  run.pass();
  run.step(KillRequested{a, {}});
  auto b = run.submit(slots("bob", 1));
  EXPECT_TRUE(run.pass().idle());
  EXPECT_EQ(run.why(b), "Waiting for 1 slot being released by job <1>");
}

TEST_F(Waits, slots_of_a_job_being_ended_count_against_its_limits) {
  queue("low", [](QueueConf& q) { q.max_slots = 2; });
  run.host(4);
  auto a = submit_and_settle(slots("ann", 2).queue("low"));
  run.step(KillRequested{a, {}});
  auto b = run.submit(slots("bob", 1).queue("low"));
  EXPECT_TRUE(run.pass().starts.empty());
  EXPECT_EQ(run.why(b), "Waiting for 1 slot being released by job <1>");
  run.end(a);
  EXPECT_EQ(run.pass().starts.size(), 1u);
}

TEST_F(Waits, slots_of_a_job_being_ended_count_against_its_plan) {
  plan({.path = "/a", .limit = 2});
  run.host(4);
  auto a = submit_and_settle(slots("ann", 2).plan("/a"));
  run.step(KillRequested{a, {}});
  run.submit(slots("bob", 1).plan("/a"));
  EXPECT_TRUE(run.pass().starts.empty());
  run.end(a);
  EXPECT_EQ(run.pass().starts.size(), 1u);
}

TEST_F(Waits, nobody_joins_an_exclusive_job_that_is_being_ended) {
  run.host(2);
  auto alone = slots("ann", 1);
  alone.spec.exclusive = true;
  auto a = submit_and_settle(alone);
  run.step(KillRequested{a, {}});
  auto b = run.submit(slots("bob", 1));
  EXPECT_TRUE(run.pass().starts.empty());
  EXPECT_EQ(run.why(b), "Waiting for 1 slot being released by job <1>");
  run.end(a);
  EXPECT_EQ(run.pass().starts.size(), 1u);
}

TEST_F(Waits, held_jobs_and_inactive_queues_are_said) {
  run.host(1);
  auto held = run.submit(slots("ann", 1).hold());
  run.step(QueueChanged{"low", QueueStandingChange::Inactivate, "admin", ""});
  auto inactive = run.submit(slots("ann", 1).queue("low"));
  EXPECT_TRUE(run.pass().starts.empty());
  EXPECT_EQ(run.why(held), "The job was suspended by the user while pending");
  EXPECT_EQ(run.code(inactive), PendCode::QueueClosed);
}

TEST_F(Waits, elements_of_an_array_start_up_to_its_limit) {
  run.host(8);
  auto base = run.submit(slots("ann", 1).array(1, 10, 3));
  auto plan = run.pass();
  ASSERT_EQ(plan.starts.size(), 3u);
  EXPECT_EQ(plan.starts[0].job, (JobId{base.job, 1}));
  EXPECT_EQ(plan.starts[2].job, (JobId{base.job, 3}));
  EXPECT_TRUE(run.pass().idle());
  EXPECT_EQ(run.code({base.job, 7}), PendCode::ArrayLimit);
  run.end({base.job, 2});
  plan = run.pass();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, (JobId{base.job, 4}));
}

TEST_F(Waits, elements_that_do_not_fit_yet_have_a_reason) {
  run.host(2);
  auto base = run.submit(slots("ann", 1).array(1, 5));
  EXPECT_EQ(run.pass().starts.size(), 2u);
  EXPECT_EQ(run.code({base.job, 3}), PendCode::Slots);
}

TEST_F(Waits, an_array_of_a_higher_queue_shrinks_elastic_jobs) {
  gpu_hosts(4);
  auto a = submit_and_settle(elastic("ann"));
  auto base = submit_and_settle(test::rigid("bob", 1).queue("high").array(1, 2));
  EXPECT_EQ(run.size(a), 2u);
  EXPECT_EQ(run.size({base.job, 1}), 1u);
  EXPECT_EQ(run.size({base.job, 2}), 1u);
}

TEST_F(Waits, an_exclusive_job_shares_its_host_with_nobody) {
  run.host(2);
  run.host(2);
  auto a = run.submit(slots("ann", 1));
  run.pass();
  auto spec = slots("bob", 1);
  spec.spec.exclusive = true;
  auto x = run.submit(spec);
  auto b = run.submit(slots("ann", 2));
  run.settle();
  EXPECT_EQ(run.job(a).tasks[0].host, HostId{1});
  EXPECT_EQ(run.job(x).tasks[0].host, HostId{2});
  EXPECT_EQ(run.size(b), 0u);
}

TEST_F(Waits, jobs_beyond_the_bound_of_a_pass_still_have_a_reason) {
  run.policy.max_pending = 1;
  run.host(4);
  auto first = run.submit(slots("ann", 1)), second = run.submit(slots("ann", 1));
  auto plan = run.plan();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, first);
  ASSERT_TRUE(plan.why(second));
  EXPECT_EQ(plan.why(second)->front().text, "New job is waiting for scheduling");
}

TEST_F(Waits, alike_jobs_share_their_reason) {
  run.host(1);
  for (int i = 0; i < 4; ++i) run.submit(slots("ann", 1));
  auto plan = run.plan();
  ASSERT_EQ(plan.waiting.size(), 3u);
  EXPECT_EQ(plan.waiting[0].reasons, plan.waiting[2].reasons);
}

TEST(held_reason, says_who_is_to_do_what) {
  Job job;
  EXPECT_EQ(held_reason(job, {7, 0}).fix, "bresume 7");
  job.outcome = {0, Term::NotSigned, "its signature cannot be proven"};
  EXPECT_EQ(held_reason(job, {7, 2}).text, "its signature cannot be proven");
  EXPECT_EQ(held_reason(job, {7, 2}).fix, "bmod -sign 7[2], then bresume 7[2]");
}

}  // namespace
}  // namespace wm::sched
