// Role: a million random states (a part of them unless WM_SOAK is set) in which a potential falls
// with every preemption: they never cycle.
#include "libwm/sched/placement/preempt.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include "libwm/sched/schedule.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::slots;

// A random cluster: three queues, each preempting some of the lower ones, jobs of 1 to 3 tasks.
class RandomState {
 public:
  explicit RandomState(unsigned seed) : random_(seed) {
    const char* names[] = {"q1", "q2", "q3"};
    std::vector<QueueConf> queues;
    for (std::uint32_t i = 0; i < 3; ++i) {
      QueueConf queue;
      queue.name = names[i];
      queue.priority = 10 * (i + 1);
      queue.preempt_by = static_cast<PreemptBy>(pick(4));
      if (pick(3)) queue.preempts = {pick(2) ? std::string("lower") : names[pick(i + 1)]};
      queues.push_back(queue);
    }
    run.config.queues = queues;
    run.config.hosts.clear();
    run.config.cluster.default_queue = "q1";
    run.reconfigure();
    for (auto n = 1 + pick(3); n > 0; --n) run.host(1 + pick(3));
    for (auto n = 1 + pick(5); n > 0; --n) submit();
  }
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  // Jobs that come have run limits and hold places at dates.
  void hold_dates() {
    limits_ = true;
    run.policy.backfill = SchedPolicy::Backfill::Conservative;
  }
  void submit() {
    std::uint32_t tasks = 1 + pick(3);
    auto user = "u" + std::to_string(pick(3));
    auto spec = slots(user, tasks).queue("q" + std::to_string(1 + pick(3)));
    if (pick(4) == 0) spec.spec.span.one_host = true;
    if (pick(4) == 0) spec.rerunnable();
    if (limits_ && pick(4)) spec.spec.run_limit = std::chrono::hours(1 + pick(4));
    std::uint32_t elements = arrays_ && pick(3) == 0 ? 1 + pick(4) : 0;
    if (elements > 0) spec.array(1, elements, pick(3));
    run.submit(spec);
    jobs += 1 + static_cast<int>(elements);
  }
  void have_arrays() { arrays_ = true; }
  // Sum over waiting jobs of W^rank, W above the number of jobs. Exact in a double here.
  double potential() const {
    double sum = 0;
    auto count = [&](const Job& job, std::uint32_t waiting) {
      auto rank = run.state.config->queue(job.spec().queue)->priority / 10;
      sum += waiting * std::pow(jobs + 2, rank);
    };
    each_job(run.state, [&](const Job& job) {
      count(job, job.state == JobState::Pending || job.parked ? 1 : 0);
    });
    run.state.jobs.each([&](std::uint32_t, const Job& job) {
      if (job.state == JobState::Array) count(job, unmade(job));
    });
    return sum;
  }
  std::uint32_t unmade(const Job& base) const {
    std::uint32_t count = 0;
    for (std::uint32_t p = 0; p < element_count(base.spec()); ++p)
      count += run.state.elements.find(base.elements.first + p) == nullptr;
    return count;
  }

  test::SchedRun run;
  int jobs = 0;

 private:
  std::mt19937 random_;
  bool limits_ = false, arrays_ = false;
};

// Every victim is of a lower queue that its winner preempts, and lets itself be.
void expect_lawful(const Cluster& state, const Plan& plan) {
  for (const Preempt& piece : plan.preempts) {
    const auto& winner = *state.config->queue(find_job(state, piece.by)->spec().queue);
    const auto& loser = *state.config->queue(find_job(state, piece.job)->spec().queue);
    EXPECT_TRUE(may_preempt(winner, loser));
    EXPECT_LT(loser.priority, winner.priority);
  }
}

using Attempts = std::map<JobId, Attempt>;

Attempts attempts_of(const Cluster& state) {
  Attempts attempts;
  each_job(state, [&](const Job& job) { attempts[job.id] = job.attempt; });
  return attempts;
}

// What happened, for people: jobs with queue, user, size; then the events.
std::string story(const RandomState& state) {
  std::string text;
  state.run.state.hosts.each([&](std::uint32_t, const Host& host) {
    text += host.name + " " + std::to_string(host.capacity.slots) + " slots\n";
  });
  for (const auto& queue : state.run.state.config->queues)
    text += queue.name + " by " + std::string(to_string(queue.preempt_by)) + " preempts " +
            (queue.preempts.empty() ? "none" : queue.preempts[0]) + "\n";
  each_job(state.run.state, [&](const Job& job) {
    text += "job " + to_string(job.id) + " " + job.spec().queue + " " + job.spec().owner.user +
            " n=" + std::to_string(job.spec().min_tasks) +
            (job.spec().span.one_host ? " on one host\n" : "\n");
  });
  for (const auto& event : state.run.history)
    text += std::string(event_name(event.body)) + " " + to_string(job_of(event.body)) + "\n";
  return text;
}

// It started, or the room went to a job that is before it in order.
void expect_started(const RandomState& state, JobId winner, const Attempts& before) {
  auto rank = [&](const Job& job) {
    return state.run.state.config->queue(job.spec().queue)->priority;
  };
  auto attempt = [&](JobId id) {  // an element may not have been made yet
    auto at = before.find(id);
    return at == before.end() ? Attempt{} : at->second;
  };
  const Job& won = state.run.job(winner);
  bool other = false;
  each_job(state.run.state, [&](const Job& job) {
    bool first = rank(job) > rank(won) || (rank(job) == rank(won) && job.id < won.id);
    other = other || (first && job.attempt > attempt(job.id));
  });
  EXPECT_TRUE(won.attempt > attempt(winner) || other)
      << to_string(winner) << ": " << state.run.why(winner) << "\n"
      << story(state);
}

// A stopped job has no place of its own free, but for what is kept for one that is stopped too
// and goes on before it.
void expect_nobody_parked_for_nothing(const Cluster& state) {
  std::vector<const Job*> parked;
  each_job(state, [&](const Job& job) {
    if (job.parked) parked.push_back(&job);
  });
  auto key = [&](const Job& job) {
    return std::pair(-int(state.config->queue(job.spec().queue)->priority), job.id);
  };
  std::sort(parked.begin(), parked.end(),
            [&](const Job* a, const Job* b) { return key(*a) < key(*b); });
  std::map<HostId, std::uint32_t> left;
  state.hosts.each([&](std::uint32_t, const Host& host) {
    left[host.id] = host.capacity.slots - host.used_slots;
  });
  for (const Job* job : parked) {
    EXPECT_EQ(job->spec().task.milli_gpus, 0u);
    std::map<HostId, std::uint32_t> tasks;
    for (const Task& task : job->tasks) tasks[task.host] += task.holds_slot();
    bool fits = std::all_of(tasks.begin(), tasks.end(),
                            [&](const auto& entry) { return left[entry.first] >= entry.second; });
    EXPECT_FALSE(fits) << to_string(job->id) << " could go on";
    for (const auto& [host, slots] : tasks) left[host] -= std::min(left[host], slots);
  }
}

// Left alone: every winner starts, the potential has fallen, and after finitely many
// preemptions there is rest.
void expect_rest(RandomState& state) {
  auto& run = state.run;
  std::map<JobId, Attempts> winners;  // all attempts, as they were when others made way
  double before = state.potential();
  for (int passes = 0;; ++passes) {
    ASSERT_LT(passes, 60) << "does not come to rest";
    auto attempts = attempts_of(run.state);
    run.now += 0.01;
    Plan plan = run.pass();
    expect_lawful(run.state, plan);
    for (const auto& piece : plan.preempts) winners[piece.by] = attempts;
    run.now += 0.01;
    bool ended = run.end_preempted();
    if (!ended && plan.idle()) break;
  }
  expect_nobody_parked_for_nothing(run.state);
  for (const auto& [winner, attempts] : winners) expect_started(state, winner, attempts);
  if (!winners.empty()) {
    EXPECT_LT(state.potential(), before);
  }
}

// In states of one kind, job by job.
void expect_rest_in_all(void (RandomState::*kind)()) {
  const unsigned states = std::getenv("WM_SOAK") ? 200'000 : 4'000;
  for (unsigned seed = 0; seed < states && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomState state(seed);
    (state.*kind)();
    for (int more = 0; more < 4; ++more) {
      state.submit();
      expect_rest(state);
    }
  }
}

TEST(preempt_prop, so_it_is_among_jobs_that_hold_places_at_dates) {
  expect_rest_in_all(&RandomState::hold_dates);
}

TEST(preempt_prop, so_it_is_for_elements_of_arrays) {
  expect_rest_in_all(&RandomState::have_arrays);
}

TEST(preempt_prop, a_potential_falls_and_nobody_makes_way_for_nothing) {
  const unsigned states = std::getenv("WM_SOAK") ? 1'000'000 : 4'000;
  for (unsigned seed = 0; seed < states && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomState state(seed);
    expect_rest(state);
    for (auto more = state.pick(3); more > 0; --more) state.submit();
    expect_rest(state);
  }
}

}  // namespace
}  // namespace wm::sched
