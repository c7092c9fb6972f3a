// Role: who makes way for whom, and when nobody does.
#include "libwm/sched/placement/preempt.h"

#include "libwm/sched/admit.h"
#include "libwm/sched/schedule.h"
#include "test/support/claim_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;

class Preempts : public test::ClaimCluster {
 protected:
  Preempts() {
    queue("high", [](QueueConf& q) { q.preempts = {"lower"}; });
    queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Requeue; });
  }
  JobId running(const test::SpecBuilder& spec) {
    JobId id = run.submit(spec);
    run.pass();
    EXPECT_EQ(run.job(id).state, JobState::Running);
    return id;
  }
  std::vector<JobId> victims(const Plan& plan) {
    std::vector<JobId> ids;
    for (const auto& piece : plan.preempts) ids.push_back(piece.job);
    return ids;
  }
};

using Ids = std::vector<JobId>;

TEST_F(Preempts, a_higher_queue_gets_the_place_of_a_lower_one) {
  run.host(2);
  auto low = running(slots("ann", 2).queue("low"));
  auto high = run.submit(slots("bob", 2).queue("high"));
  auto plan = run.pass();
  ASSERT_EQ(victims(plan), (Ids{low}));
  EXPECT_EQ(plan.preempts[0].by, high);
  EXPECT_EQ(plan.preempts[0].how, MakeWay::Requeue);
  EXPECT_EQ(plan.preempts[0].reason, "preempted by job <2> of queue <high>");
  EXPECT_EQ(run.why(high), "Waiting for 2 slots being released by job <1>");
  run.end_preempted();
  run.settle();
  EXPECT_EQ(run.job(high).state, JobState::Running);
  EXPECT_EQ(run.job(low).state, JobState::Pending);
  run.end(high);
  run.settle();
  EXPECT_EQ(run.job(low).state, JobState::Running);
  EXPECT_EQ(run.job(low).attempt, Attempt{2});
}

// What is held for it until its victims would have ended is no bar to itself.
TEST_F(Preempts, who_is_promised_a_date_does_not_wait_for_it) {
  run.host(2);
  auto low = slots("ann", 2).queue("low"), high = slots("bob", 2).queue("high");
  low.spec.run_limit = std::chrono::hours(2);
  high.spec.run_limit = std::chrono::hours(1);
  auto victim = running(low);
  auto by = run.submit(high);
  auto plan = run.pass();
  ASSERT_EQ(victims(plan), (Ids{victim}));
  EXPECT_EQ(plan.preempts[0].by, by);
  run.end_preempted();
  run.settle();
  EXPECT_EQ(run.job(by).state, JobState::Running);
}

// A later job may not take room that an earlier one will have, even if others would make way.
TEST_F(Preempts, places_that_are_held_for_an_earlier_one_stay_held) {
  queue("high", [](QueueConf& q) { q.preempts = {}; });
  queue("normal", [](QueueConf& q) { q.preempts = {"lower"}; });
  run.host(2);
  auto low = slots("ann", 2).queue("low"), high = slots("bob", 2).queue("high");
  low.spec.run_limit = std::chrono::hours(2);
  high.spec.run_limit = std::chrono::hours(1);
  running(low);
  auto first = run.submit(high);
  run.submit(slots("eve", 2).queue("normal"));
  EXPECT_EQ(victims(run.pass()), Ids{});
  EXPECT_EQ(run.promised(first), 2 * 3600);
}

// Several jobs hold places at dates.
class PreemptsAmongDates : public Preempts {
 protected:
  PreemptsAmongDates() {
    run.policy.backfill = SchedPolicy::Backfill::Conservative;
    a = run.host(2);
    b = run.host(2);
  }
  static test::SpecBuilder lasting(test::SpecBuilder spec, int hours) {
    spec.spec.run_limit = std::chrono::hours(hours);
    return spec;
  }
  JobId start(const std::string& queue, HostId host, int hours) {
    auto id = run.submit(lasting(slots("ann", 2).queue(queue), hours));
    run.run(id, {host, host});
    return id;
  }
  // One that nobody preempts until 3 h, one of a low queue until 2 h; `first` waits for both.
  void hold_both_hosts() {
    start("normal", a, 3);
    low = start("low", b, 2);
    first = run.submit(lasting(slots("bob", 4).queue("high"), 1));
    EXPECT_EQ(victims(run.pass()), Ids{});
    ASSERT_EQ(run.promised(first), 3 * 3600);
  }
  HostId a, b;
  JobId low, first;
};

TEST_F(PreemptsAmongDates, one_that_is_not_the_first_of_them_preempts_for_the_time_before) {
  hold_both_hosts();
  auto second = run.submit(lasting(slots("eve", 2).queue("high"), 2));
  auto plan = run.pass();
  ASSERT_EQ(victims(plan), (Ids{low}));
  EXPECT_EQ(plan.preempts[0].by, second);
  run.end_preempted();
  run.settle();
  EXPECT_EQ(run.job(second).state, JobState::Running);
  EXPECT_EQ(run.promised(first), 3 * 3600);
}

TEST_F(PreemptsAmongDates, nobody_makes_way_for_one_that_would_still_be_there_at_the_date) {
  hold_both_hosts();
  auto long_one = run.submit(lasting(slots("eve", 2).queue("high"), 4));
  auto endless = run.submit(slots("eve", 1).queue("high"));
  EXPECT_EQ(victims(run.pass()), Ids{});
  EXPECT_EQ(run.promised(first), 3 * 3600);
  EXPECT_EQ(run.promised(long_one), 4 * 3600);
  EXPECT_EQ(run.promised(endless), 4 * 3600);
}

TEST_F(PreemptsAmongDates, each_of_them_preempts_where_it_can) {
  auto here = start("low", a, 2), there = start("low", b, 2);
  auto one = run.submit(lasting(slots("bob", 2).queue("high"), 5));
  auto two = run.submit(lasting(slots("eve", 2).queue("high"), 5));
  EXPECT_EQ(run.pass().preempts.size(), 2u);
  run.end_preempted();
  run.settle();
  EXPECT_EQ(run.job(one).state, JobState::Running);
  EXPECT_EQ(run.job(two).state, JobState::Running);
  EXPECT_EQ(run.job(here).state, JobState::Pending);
  EXPECT_EQ(run.job(there).state, JobState::Pending);
}

// An earlier one that may preempt nobody would start in the room instead.
TEST_F(PreemptsAmongDates, nobody_makes_way_where_an_earlier_holder_would_take_the_room) {
  queue("high", [](QueueConf& q) { q.preempts = {}; });
  queue("normal", [](QueueConf& q) { q.preempts = {"lower"}; });
  start("high", a, 3);
  start("low", b, 2);
  auto earlier = run.submit(lasting(slots("bob", 2).queue("high"), 1));
  run.submit(lasting(slots("eve", 2).queue("normal"), 1));
  EXPECT_EQ(victims(run.pass()), Ids{});
  EXPECT_EQ(run.promised(earlier), 2 * 3600);
}

TEST_F(PreemptsAmongDates, in_easy_backfill_it_preempts_for_the_time_before_too) {
  run.policy.backfill = SchedPolicy::Backfill::Easy;
  hold_both_hosts();
  run.submit(lasting(slots("eve", 2).queue("high"), 4));
  EXPECT_EQ(victims(run.pass()), Ids{});
  auto second = run.submit(lasting(slots("eve", 2).queue("high"), 2));
  auto plan = run.pass();
  ASSERT_EQ(victims(plan), (Ids{low}));
  EXPECT_EQ(plan.preempts[0].by, second);
}

TEST_F(Preempts, who_made_way_often_enough_is_left_alone) {
  run.config.cluster.limits.max_preempt = 1;
  run.reconfigure();
  run.host(2);
  auto low = running(slots("ann", 2).queue("low"));
  auto high = run.submit(slots("bob", 2).queue("high"));
  EXPECT_EQ(victims(run.pass()), (Ids{low}));
  run.end_preempted();
  run.settle();
  run.end(high);
  run.settle();
  ASSERT_EQ(run.job(low).state, JobState::Running);
  run.submit(slots("bob", 2).queue("high"));
  EXPECT_TRUE(run.pass().preempts.empty());
}

TEST_F(Preempts, a_queue_may_say_how_often) {
  run.config.cluster.limits.max_preempt = 1;
  queue("low", [](QueueConf& conf) { conf.max_preempt = 0; });
  run.host(2);
  auto low = running(slots("ann", 2).queue("low"));
  for (int times = 0; times < 3; ++times) {
    auto high = run.submit(slots("bob", 2).queue("high"));
    EXPECT_EQ(victims(run.pass()), (Ids{low})) << times;
    run.end_preempted();
    run.settle();
    run.end(high);
    run.settle();
  }
}

TEST_F(Preempts, while_its_victims_end_nobody_else_makes_way) {
  run.host(2);
  running(slots("ann", 1).queue("low"));
  running(slots("ann", 1).queue("low"));
  run.submit(slots("bob", 1).queue("high"));
  EXPECT_EQ(run.pass().preempts.size(), 1u);
  EXPECT_TRUE(run.pass().preempts.empty());
}

TEST_F(Preempts, who_made_way_starts_after_the_one_it_made_way_for) {
  // By shares alone the low job's user would go first.
  plan({.path = "/rich", .shares = 1000});
  run.host(2);
  auto low = running(slots("ann", 2).queue("low").plan("/rich"));
  auto high = run.submit(slots("bob", 2).queue("high"));
  EXPECT_EQ(victims(run.pass()), (Ids{low}));
  run.end_preempted();
  auto plan = run.pass();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, high);
  EXPECT_EQ(run.job(low).state, JobState::Pending);
}

TEST_F(Preempts, it_waits_with_a_reason_that_names_the_job) {
  run.host(2);
  auto low = running(slots("ann", 2).queue("low"));
  auto high = run.submit(slots("bob", 2).queue("high"));
  run.pass();
  run.end_preempted();
  EXPECT_EQ(run.code(low), PendCode::Priority);
  EXPECT_EQ(run.why(low), "Preempted by job <" + to_string(high) + ">, which starts first");
  run.step(KillRequested{high, {}});
  run.settle();
  EXPECT_EQ(run.job(low).state, JobState::Running);
}

TEST_F(Preempts, nobody_is_touched_unless_the_job_then_fits) {
  run.host(2);
  auto safe = run.host(1);
  running(slots("ann", 2).queue("low"));
  run.dispatch(run.submit(slots("zoe", 1).queue("normal")), {safe});
  auto spec = slots("bob", 3).queue("high");
  run.submit(spec);
  EXPECT_TRUE(run.plan().preempts.empty());
  auto one = slots("eve", 2).queue("high");
  one.spec.span.ptile = 1;  // two hosts, one of them is held by a queue that is not preempted
  run.submit(one);
  EXPECT_TRUE(run.plan().preempts.empty());
}

TEST_F(Preempts, many_that_can_preempt_nobody_leave_it_to_those_behind_them) {
  run.host(2);
  run.host(2);
  auto low = running(slots("ann", 2).queue("low"));
  running(slots("ann", 2).queue("high"));
  for (std::uint32_t priority = 0; priority < 70; ++priority) {
    auto wide = slots("bob", 4).queue("high");
    wide.spec.user_priority = 100 + priority;  // unlike each other
    run.submit(wide);
  }
  run.submit(slots("bob", 2).queue("high"));
  EXPECT_EQ(victims(run.plan()), (Ids{low}));
}

TEST_F(Preempts, only_as_many_as_are_needed_and_the_youngest_first) {
  run.host(4);
  JobId jobs[4];
  for (int i = 0; i < 4; ++i) {
    jobs[i] = run.submit(slots("ann", 1).queue("low"));
    run.step(JobDispatched{jobs[i], Attempt{1}, {{TaskNumber{1}, HostId{1}}}, std::string(32, 'k')},
             i);
    run.step(TaskStarted{jobs[i], Attempt{1}, TaskNumber{1}, 1}, i);
  }
  run.submit(slots("bob", 2).queue("high"));
  EXPECT_EQ(victims(run.plan()), (Ids{jobs[2], jobs[3]}));
}

TEST_F(Preempts, a_job_on_another_host_is_left_alone) {
  auto a = run.host(2), b = run.host(2);
  auto small = run.submit(slots("ann", 1).queue("low"));
  run.run(small, {a});
  auto large = run.submit(slots("ann", 2).queue("low"));
  run.run(large, {b, b});
  auto spec = slots("bob", 2).queue("high");
  spec.spec.span.one_host = true;
  run.submit(spec);
  EXPECT_EQ(victims(run.plan()), (Ids{small}));
}

TEST_F(Preempts, jobs_that_can_run_again_go_before_jobs_that_would_be_lost) {
  queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Kill; });
  run.host(2);
  auto again = run.submit(slots("ann", 1).queue("low").rerunnable());
  auto once = run.submit(slots("ann", 1).queue("low"));
  run.pass();
  run.submit(slots("bob", 1).queue("high"));
  auto plan = run.plan();
  ASSERT_EQ(victims(plan), (Ids{again}));
  EXPECT_EQ(plan.preempts[0].how, MakeWay::Requeue);
  run.submit(slots("bob", 1).queue("high"));
  plan = run.plan();
  ASSERT_EQ(victims(plan), (Ids{again, once}));
  EXPECT_EQ(plan.preempts[1].how, MakeWay::End);
}

class Parks : public Preempts {
 protected:
  Parks() {
    queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Suspend; });
  }
  std::uint32_t used(HostId host) { return run.host_of(host).used_slots; }
  // On a host of two slots `low` had both and is parked for `high`.
  void park_for(std::uint32_t tasks) {
    h = run.host(2);
    low = running(slots("ann", 2).queue("low"));
    high = run.submit(slots("bob", tasks).queue("high"));
    ASSERT_GE(run.settle(), 0);
    ASSERT_EQ(run.job(low).state, JobState::Suspended);
  }
  HostId h;
  JobId low, high;
};

TEST_F(Parks, a_job_is_stopped_gives_its_slots_and_goes_on_when_they_are_free) {
  auto h = run.host(2);
  auto low = running(slots("ann", 2).queue("low"));
  auto high = run.submit(slots("bob", 2).queue("high"));
  auto plan = run.pass();
  ASSERT_EQ(victims(plan), (Ids{low}));
  EXPECT_EQ(plan.preempts[0].how, MakeWay::Park);
  EXPECT_EQ(run.job(low).state, JobState::Suspended);
  EXPECT_EQ(lsf_state(run.job(low)), "SSUSP");
  EXPECT_EQ(used(h), 0u);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(high).state, JobState::Running);
  EXPECT_EQ(used(h), 2u);
  run.end(high);
  ASSERT_EQ(run.pass().resumes.size(), 1u);
  EXPECT_EQ(run.job(low).state, JobState::Running);
  EXPECT_EQ(run.job(low).attempt, Attempt{1});
  EXPECT_EQ(used(h), 2u);
}

TEST_F(Parks, nobody_behind_it_takes_its_places_one_by_one) {
  auto h = run.host(2);
  auto low = running(slots("ann", 2).queue("low"));
  auto a = run.submit(slots("bob", 1).queue("high")), b = run.submit(slots("bob", 1).queue("high"));
  ASSERT_GE(run.settle(), 0);
  ASSERT_EQ(run.job(b).state, JobState::Running);
  ASSERT_EQ(run.job(low).state, JobState::Suspended);
  auto later = run.submit(slots("zoe", 1).queue("low"));
  run.end(a);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(later).state, JobState::Pending);
  EXPECT_FALSE(run.why(later).empty());
  run.end(b);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(low).state, JobState::Running);
  EXPECT_EQ(used(h), 2u);
}

TEST_F(Parks, what_is_kept_for_it_is_there_for_a_higher_job) {
  park_for(1);
  auto b = run.submit(slots("bob", 1).queue("high"));
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(high).state, JobState::Running);
  EXPECT_EQ(run.job(b).state, JobState::Running);
  EXPECT_EQ(run.job(low).state, JobState::Suspended);
}

TEST_F(Parks, its_memory_stays_where_it_is) {
  auto h = run.host(2);
  auto all = run.host_of(h).capacity.mem;
  auto low = slots("ann", 2).queue("low");
  low.spec.task.mem = Bytes{all.value / 2};
  auto parked = running(low);
  auto high = slots("bob", 1).queue("high");
  high.spec.task.mem = Bytes{all.value / 4};
  run.submit(high);
  EXPECT_TRUE(run.plan().preempts.empty()) << "its memory would not become free";
  high.spec.task.mem = Bytes{0};
  auto fits = run.submit(high);
  ASSERT_GE(run.settle(), 0);
  EXPECT_EQ(run.job(fits).state, JobState::Running);
  EXPECT_EQ(run.job(parked).state, JobState::Suspended);
  EXPECT_EQ(run.host_of(h).used_mem, all);
}

TEST_F(Parks, jobs_with_gpus_and_whole_hosts_are_left_alone) {
  gpu_hosts(1, 2);
  running(rigid("ann", 2).queue("low"));
  run.submit(rigid("bob", 2).queue("high"));
  EXPECT_TRUE(run.plan().preempts.empty());
  auto h = run.host(2);
  auto alone = slots("ann", 1).queue("low");
  alone.spec.exclusive = true;
  run.run(run.submit(alone), {h});
  run.submit(slots("bob", 2).queue("high"));
  EXPECT_TRUE(run.plan().preempts.empty());
}

TEST_F(Parks, rerunnable_jobs_wait_again_before_others_are_stopped) {
  run.host(2);
  auto once = running(slots("ann", 1).queue("low"));
  auto again = running(slots("ann", 1).queue("low").rerunnable());
  run.submit(slots("bob", 1).queue("high"));
  auto plan = run.plan();
  ASSERT_EQ(victims(plan), (Ids{again}));
  EXPECT_EQ(plan.preempts[0].how, MakeWay::Requeue);
  run.submit(slots("bob", 1).queue("high"));
  plan = run.plan();
  ASSERT_EQ(victims(plan), (Ids{once, again}));
  EXPECT_EQ(plan.preempts[0].how, MakeWay::Park);
}

TEST_F(Parks, one_that_is_killed_gives_its_memory_and_no_slot_twice) {
  park_for(2);
  run.step(KillRequested{low, {}});
  EXPECT_TRUE(run.pass().idle());
  run.end(low);
  EXPECT_EQ(run.job(low).state, JobState::Killed);
  EXPECT_EQ(used(h), 2u);
  run.end(high);
  EXPECT_EQ(used(h), 0u);
}

TEST_F(Parks, one_that_its_owner_stops_too_waits_for_both) {
  park_for(2);
  EXPECT_FALSE(run.check(JobResumed{low, "ann"}));
  run.step(JobSuspended{low, "ann"});
  EXPECT_EQ(lsf_state(run.job(low)), "USUSP");
  run.end(high);
  EXPECT_TRUE(run.pass().idle());
  run.step(JobResumed{low, "ann"});
  EXPECT_EQ(run.job(low).state, JobState::Suspended);
  run.pass();
  EXPECT_EQ(run.job(low).state, JobState::Running);
}

TEST_F(Preempts, elastic_jobs_shrink_before_anybody_ends) {
  gpu_hosts(4);
  auto big = submit_and_settle(elastic("ann", 1, 4).queue("low"));
  EXPECT_EQ(run.size(big), 4u);
  run.submit(rigid("bob", 2).queue("high"));
  auto plan = run.pass();
  EXPECT_TRUE(plan.preempts.empty());
  EXPECT_EQ(plan.shrinks.size(), 1u);
}

TEST_F(Preempts, where_shrinking_is_not_enough_they_end) {
  gpu_hosts(2);
  auto big = submit_and_settle(elastic("ann", 1, 2).queue("low"));
  auto high = run.submit(rigid("bob", 2).queue("high"));
  for (int i = 0; i < 6; ++i) {
    run.pass();
    run.let_leave();
    run.end_preempted();
  }
  EXPECT_EQ(run.job(high).state, JobState::Running);
  EXPECT_EQ(run.job(big).state, JobState::Pending);
}

TEST_F(Preempts, queues_that_were_not_named_or_do_not_allow_it_are_safe) {
  queue("high", [](QueueConf& q) { q.preempts = {"normal"}; });
  run.host(1);
  running(slots("ann", 1).queue("low"));
  run.submit(slots("bob", 1).queue("high"));
  EXPECT_TRUE(run.plan().preempts.empty());
  queue("high", [](QueueConf& q) { q.preempts = {"low"}; });
  EXPECT_EQ(run.plan().preempts.size(), 1u);
  queue("low", [](QueueConf& q) { q.preempt_by = PreemptBy::Shrink; });
  EXPECT_TRUE(run.plan().preempts.empty());
}

TEST_F(Preempts, a_limit_that_victims_do_not_change_protects_them) {
  queue("high", [](QueueConf& q) { q.max_slots = 1; });
  plan({.path = "/tight", .limit = 0});
  run.host(2);
  running(slots("ann", 1).queue("low"));
  running(slots("ann", 1).queue("low"));
  run.submit(slots("bob", 2).queue("high"));
  EXPECT_TRUE(run.plan().preempts.empty());
}

TEST_F(Preempts, admit_drops_what_is_not_wanted_any_more) {
  run.host(1);
  running(slots("ann", 1).queue("low"));
  auto high = run.submit(slots("bob", 1).queue("high"));
  auto plan = run.plan();
  ASSERT_EQ(plan.preempts.size(), 1u);
  run.step(KillRequested{high, {}});
  EXPECT_TRUE(admit(run.state, plan).preempts.empty());
}

}  // namespace
}  // namespace wm::sched
