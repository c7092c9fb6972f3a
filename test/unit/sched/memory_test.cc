// Role: what a pass keeps for the next: whatever has changed since, it decides what a pass that
// remembers nothing decides; and how many of alike jobs are looked at.
#include "libwm/sched/memory.h"

#include "libwm/sched/schedule.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::at;
using test::elastic;
using test::slots;

// What is kept of all jobs and rooms together.
void expect_same_sums(const Claims& kept, const Claims& fresh) {
  EXPECT_EQ(kept.tally.slots(), fresh.tally.slots());
  EXPECT_EQ(kept.tally.gpus(), fresh.tally.gpus());
  EXPECT_EQ(kept.tally.roomy(), fresh.tally.roomy());
  EXPECT_EQ(kept.tally.closed(), fresh.tally.closed());
  EXPECT_EQ(kept.tally.stuck(), fresh.tally.stuck());
  EXPECT_EQ(kept.ends.dates(), fresh.ends.dates());
  auto held = [](const Claims& claims) {
    Units sum = 0;
    for (const Steady& group : claims.steady) sum += 1000 * group.tasks + group.held_cost;
    for (const WantedTasks& on : claims.steady_on) sum += 1'000'000 * on.slots + on.gpus;
    return sum;
  };
  EXPECT_EQ(held(kept), held(fresh));
}

class Remembering : public test::SchedCluster {
 protected:
  // A pass with the memory, which is compared with one without.
  Plan look() {
    Plan fresh = run.plan();
    Plan plan = schedule(run.state.freeze(), run.policy, at(run.now), memory);
    EXPECT_EQ(plan.starts, fresh.starts);
    EXPECT_EQ(plan.shrinks, fresh.shrinks);
    EXPECT_EQ(plan.waiting.size(), fresh.waiting.size());
    for (const PendingJob& waiting : fresh.waiting) {
      auto* reasons = plan.why(waiting.job);
      EXPECT_TRUE(reasons && *reasons == *waiting.reasons) << to_string(waiting.job);
    }
    Memory other;
    schedule(run.state.freeze(), run.policy, at(run.now), other);
    expect_same_sums(*memory.claims, *other.claims);
    return plan;
  }
  std::size_t looked_at() const {
    return static_cast<std::size_t>(
        std::count_if(memory.claims->all.begin(), memory.claims->all.end(),
                      [](const Claim& claim) { return claim.pending() && !claim.rest; }));
  }
  Memory memory;
};

TEST_F(Remembering, what_has_not_changed_is_decided_again) {
  run.host(2);
  run.submit(slots("ann", 2));
  Plan first = look(), again = look();
  EXPECT_EQ(first.starts, again.starts);
  EXPECT_EQ(again.starts.size(), 1u);
}

TEST_F(Remembering, jobs_that_come_run_and_go_are_noticed) {
  run.host(2);
  auto a = run.submit(slots("ann", 1)), b = run.submit(slots("ann", 2));
  look();
  run.pass();
  EXPECT_EQ(look().starts.size(), 0u) << "there is no room for the second";
  run.end(a);
  Plan plan = look();
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_EQ(plan.starts[0].job, b);
  run.step(KillRequested{b, {Term::Owner, "ann", "", at(1)}});
  EXPECT_TRUE(look().waiting.empty());
}

TEST_F(Remembering, another_run_limit_of_what_runs_is_noticed) {
  run.host(2);
  auto asked = slots("ann", 2);
  asked.spec.run_limit = std::chrono::minutes(10);
  auto id = run.submit(asked);
  run.pass();
  look();
  asked.spec.run_limit = std::chrono::minutes(20);
  run.step(JobModified{id, asked.sealed(), "ann", ""});
  look();
  ASSERT_EQ(memory.claims->ends.dates().size(), 1u);
  EXPECT_EQ(find_job(run.state.freeze(), id)->state, JobState::Running);
}

TEST_F(Remembering, that_a_job_is_stopped_and_goes_on_is_noticed) {
  run.host(2);
  auto asked = slots("ann", 2);
  asked.spec.run_limit = std::chrono::minutes(10);
  auto id = run.submit(asked);
  run.pass();
  look();
  run.step(JobSuspended{id, "ann"}, 5);
  look();
  EXPECT_TRUE(memory.claims->ends.dates().empty());
  run.step(JobResumed{id, "ann"}, 65);
  look();
  ASSERT_EQ(memory.claims->ends.dates().size(), 1u);
  EXPECT_EQ(memory.claims->ends.dates().begin()->first, at(660));
}

TEST_F(Remembering, hosts_that_close_open_and_come_are_noticed) {
  run.host(1);
  auto job = run.submit(slots("ann", 1));
  run.step(HostClosed{HostId{1}, "admin", ""});
  Plan closed = look();
  ASSERT_TRUE(closed.why(job));
  EXPECT_EQ(closed.why(job)->front().code, PendCode::HostsClosed);
  run.step(HostOpened{HostId{1}, "admin"});
  EXPECT_EQ(look().starts.size(), 1u);
  run.submit(slots("ann", 2));
  look();
  run.host(2);
  EXPECT_EQ(look().starts.size(), 2u);
}

TEST_F(Remembering, another_configuration_starts_afresh) {
  run.host(4);
  run.submit(slots("ann", 1).queue("low"));
  run.submit(slots("ann", 1).queue("low"));
  EXPECT_EQ(look().starts.size(), 2u);
  queue("low", [](QueueConf& conf) { conf.max_slots = 1; });
  EXPECT_EQ(look().starts.size(), 1u);
}

TEST_F(Remembering, many_requests_are_no_reason_to_start_afresh_while_they_are_asked_for) {
  constexpr std::int64_t kMany = 4100;
  run.host(1);
  JobId last;
  for (std::int64_t n = 1; n <= kMany; ++n) {
    auto spec = slots("ann", 2);
    spec.spec.task.mem = Bytes{n};
    last = run.submit(spec);
  }
  look();
  run.step(KillRequested{last, {Term::Owner, "ann", "", at(1)}});
  look();
  EXPECT_EQ(memory.claims->requests.size(), kMany) << "that of the killed job is remembered";
}

TEST_F(Remembering, a_select_that_asks_for_what_is_free_follows_it) {
  run.host(2);
  auto spec = slots("ann", 1);
  spec.spec.asked.select = "slots>1";
  auto job = run.submit(spec);
  EXPECT_EQ(look().starts.size(), 1u);
  auto other = run.submit(slots("bob", 1));
  run.dispatch(other, {HostId{1}});
  Plan plan = look();
  EXPECT_TRUE(plan.starts.empty());
  ASSERT_TRUE(plan.why(job));
  EXPECT_EQ(plan.why(job)->front().code, PendCode::Requirement);
}

TEST_F(Remembering, of_alike_jobs_those_that_could_start_are_looked_at) {
  run.policy.max_promises = 0;
  run.host(4);
  for (int i = 0; i < 100; ++i) run.submit(slots("ann", 1));
  EXPECT_EQ(look().starts.size(), 4u);
  EXPECT_EQ(looked_at(), 4u);
  while (!run.pass().idle()) continue;
  Plan full = look();
  EXPECT_EQ(looked_at(), 1u) << "nothing can start";
  EXPECT_EQ(full.waiting.size(), 96u) << "yet everybody has a reason";
  EXPECT_EQ(full.waiting.front().reasons, full.waiting.back().reasons);
}

TEST_F(Remembering, free_slots_that_are_of_no_use_count_for_nothing) {
  run.policy.max_promises = 0;
  for (int i = 0; i < 8; ++i) {
    auto host = run.host(2);
    auto large = slots("bob", 1);
    large.spec.task.mem = run.host_of(host).capacity.mem;
    run.dispatch(run.submit(large), {host});
  }
  auto small = slots("ann", 1);
  small.spec.task.mem = Bytes{1};
  for (int i = 0; i < 20; ++i) run.submit(small);
  EXPECT_TRUE(look().starts.empty());
  EXPECT_EQ(looked_at(), 1u) << "eight slots are free, but no memory beside them";
}

TEST_F(Remembering, running_jobs_of_one_owner_are_counted_together) {
  run.host(8);
  auto job = slots("ann", 2);
  job.spec.run_limit = std::chrono::hours(1);
  auto a = submit_and_settle(job), b = submit_and_settle(job);
  submit_and_settle(slots("bob", 1));
  look();
  ASSERT_EQ(memory.claims->steady.size(), 2u);
  EXPECT_EQ(memory.claims->steady[0].claims.size(), 2u);
  EXPECT_EQ(memory.claims->steady[0].tasks, 4);
  EXPECT_EQ(memory.claims->ends.of(0).size(), 4u) << "the job without a limit never ends";
  run.end(a);
  look();
  EXPECT_EQ(memory.claims->steady[0].claims.front().id, b);
  EXPECT_EQ(memory.claims->steady[0].cost, 2);
  EXPECT_EQ(memory.claims->ends.dates().size(), 1u);
  run.end(b);
  look();
  EXPECT_TRUE(memory.claims->ends.dates().empty());
}

TEST_F(Remembering, a_full_host_is_not_looked_at_until_something_ends_there) {
  run.host(2);
  run.host(2);
  auto a = submit_and_settle(slots("ann", 2));
  look();
  EXPECT_EQ(memory.claims->tally.roomy(), Positions{1});
  submit_and_settle(slots("ann", 2));
  look();
  EXPECT_TRUE(memory.claims->tally.roomy().empty());
  run.end(a);
  look();
  EXPECT_EQ(memory.claims->tally.roomy(), Positions{0});
  EXPECT_EQ(memory.claims->tally.slots(), 4) << "all that is open";
}

TEST_F(Remembering, what_runs_on_a_closed_host_counts_as_long_as_it_runs) {
  run.host(2);
  run.host(2);
  auto a = submit_and_settle(slots("ann", 2));
  run.step(HostClosed{HostId{1}, "admin", ""});
  look();
  EXPECT_EQ(memory.claims->steady_on[0].slots, 2);
  run.end(a);
  look();
  EXPECT_EQ(memory.claims->steady_on[0].slots, 0);
  EXPECT_EQ(memory.claims->tally.closed(), Positions{0});
}

TEST_F(Remembering, what_elastic_jobs_could_give_counts) {
  run.policy.max_promises = 0;
  gpu_hosts(4);
  submit_and_settle(elastic("ann", 1, 4));
  for (int i = 0; i < 10; ++i) run.submit(test::rigid("bob", 1));
  EXPECT_FALSE(look().shrinks.empty());
  EXPECT_EQ(looked_at(), 3u);
}

// What runs stands at the place that its priority had when it started.
TEST_F(Remembering, priorities_that_rise_are_the_same_when_a_job_goes) {
  run.config.cluster.sched.priority_step = std::chrono::seconds(10);
  run.reconfigure();
  run.host(3);
  std::vector<JobId> jobs;
  for (double second : {50, 0, 100, 30}) {
    jobs.push_back(run.submit(slots("ann", 1)));
    run.state.jobs.edit(jobs.back().job).times.submitted = at(second);
  }
  run.now = 200;
  run.settle();
  look();
  run.end(jobs[0]);
  look();
  run.settle();
  look();
  run.end(jobs[1]);
  look();
  EXPECT_EQ(run.size(jobs[2]), 1u);
}

TEST_F(Remembering, tasks_that_began_lately_keep_their_number_until_they_had_time_to_meet) {
  gpu_hosts(2);
  run.agents = false;
  auto id = submit_and_settle(elastic("ann", 1, 2));
  ASSERT_EQ(run.size(id), 2u);
  look();
  run.now = 0.5;
  run.step(CapChanged{id, 1, false, "ann"});
  auto early = look();
  EXPECT_TRUE(early.shrinks.empty());
  EXPECT_EQ(early.look_again, at(2)) << "and nothing else wakes the scheduler";
  run.now = 2;
  ASSERT_EQ(look().shrinks.size(), 1u) << "although the job itself has not changed";
}

}  // namespace
}  // namespace wm::sched
