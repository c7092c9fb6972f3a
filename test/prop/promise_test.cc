// Role: dated starts over random clusters and job streams in virtual time: who holds places
// starts by the date it was first given, whatever was backfilled meanwhile. Jobs end at their
// run limits or before, some after a moment of leaving. Nobody arrives with a better place in the
// order but in the last test, where jobs of a higher queue have others make way. Prints its seed;
// WM_SOAK makes it long, but for easy: the date of the first may have been an estimate before that
// job was the first, and is believed then if it did not move much.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "test/support/sched_run.h"

namespace wm::sched {
namespace {

using test::at;
using test::SchedRun;
using test::SpecBuilder;
using Backfill = SchedPolicy::Backfill;

double seconds_of(WallTime time) { return std::chrono::duration<double>(time - at(0)).count(); }

class Stream {
 public:
  Stream(unsigned seed, Backfill backfill) : random_(seed) {
    run_.policy.backfill = backfill;
    run_.policy.promise_tolerance = Duration{};
    for (int n = pick(1, 4); n > 0; --n) run_.host(pick(1, 4), pick(0, 2));
  }
  void live(int arrivals);
  // Jobs are of a high or a low queue from now on, and the high one has the low one make way.
  void preempt();
  int preempted() const { return preempted_; }

 private:
  struct Known {
    double submitted, length;
    double promised = -1;  // binding: the first such date
  };
  int pick(int from, int to) { return from + static_cast<int>(random_() % (to - from + 1)); }
  void submit();
  void end_until(double time);
  std::vector<JobId> next_ends(double& by) const;
  void end(const std::vector<JobId>& jobs, double time);
  void pass();
  void note_promises();
  void expect_busy() const;
  bool fits_cluster(const JobSpec& spec) const;

  std::mt19937 random_;
  SchedRun run_;
  std::map<JobId, Known> jobs_;
  double again_ = -1;  // another pass is due then
  bool preempts_ = false;
  int preempted_ = 0;
};

void Stream::preempt() {
  preempts_ = true;
  QueueConf high, low;
  high.name = "high", high.priority = 90, high.preempts = {"lower"};
  low.name = "low", low.priority = 10, low.preempt_by = PreemptBy::Requeue;
  run_.config.queues = {high, low};
  run_.config.cluster.default_queue = "low";
  run_.reconfigure();
}

// What can never start would hold up the strict order for ever.
bool Stream::fits_cluster(const JobSpec& spec) const {
  std::uint32_t slots = 0, gpus = 0;
  run_.state.hosts.each([&](std::uint32_t, const Host& host) {
    auto have = static_cast<std::uint32_t>(host.capacity.gpus.size());
    slots += host.capacity.slots;
    gpus += std::min(have, host.capacity.slots);
  });
  return spec.min_tasks <= (spec.task.milli_gpus ? gpus : slots);
}

void Stream::submit() {
  SpecBuilder spec;
  auto tasks = static_cast<std::uint32_t>(pick(1, 6));
  int limit = pick(1, 20) * 10;
  spec.user("user" + std::to_string(pick(1, 2)), 1001).tasks(tasks, tasks);
  if (pick(1, 3) == 1) spec.app("training").gpus(1);
  spec.spec.run_limit = std::chrono::seconds(limit);
  if (preempts_) spec.queue(pick(1, 2) == 1 ? "high" : "low");
  if (!fits_cluster(spec.spec)) return;
  double length = pick(1, 3) == 1 ? pick(1, limit) : limit;
  jobs_[run_.submit(spec)] = {run_.now, length};
}

// Those that end next, if they do by then, and when.
std::vector<JobId> Stream::next_ends(double& by) const {
  std::vector<JobId> next;
  for (const auto& [id, known] : jobs_) {
    const Job& job = run_.job(id);
    if (is_over(job.state) || run_.size(id) == 0) continue;
    double end = seconds_of(job.times.dispatched) + known.length;
    if (end > by) continue;
    if (end < by) next.clear();
    by = end;
    next.push_back(id);
  }
  return next;
}

// Jobs end when their time has come; each time a pass follows, and where one was asked for.
void Stream::end_until(double time) {
  for (;;) {
    double first = time;
    auto next = next_ends(first);
    if (again_ > run_.now && again_ < first) {
      run_.now = again_;
      pass();
    } else if (!next.empty()) {
      end(next, first);
    } else {
      break;
    }
  }
  run_.now = time;
}

// One may be killed, long before its limit, and take a moment to leave.
void Stream::end(const std::vector<JobId>& jobs, double time) {
  constexpr double kLeaving = 0.5;
  const Job& job = run_.job(jobs.front());
  bool early = at(time) + run_.state.config->cluster.times.reclaim_grace <
               job.times.dispatched + job.spec().run_limit;
  if (early && pick(0, 1) && time - kLeaving > run_.now) {
    run_.now = time - kLeaving;
    run_.step(KillRequested{job.id, {Term::Owner, "user1", "", at(time + 10)}});
    pass();
  }
  run_.now = time;
  for (JobId id : jobs) run_.end(id);
  pass();
}

void Stream::note_promises() {
  bool first = true;
  for (auto& [id, known] : jobs_) {
    const Job& job = run_.job(id);
    if (is_over(job.state) || run_.size(id) > 0) continue;
    bool conservative = run_.policy.backfill == Backfill::Conservative;
    bool binds = conservative ? !job.waits.places.empty() : first;
    if (job.waits.promised != WallTime{} && binds && known.promised < 0) {
      known.promised = run_.promised(id);
    }
    if (job.waits.promised != WallTime{}) first = false;
  }
}

void Stream::pass() {
  for (int i = 0; i < 20; ++i) {
    Plan done = run_.pass();
    for (const Start& start : done.starts) {
      const Known& known = jobs_[start.job];
      if (known.promised < 0) continue;
      EXPECT_LE(run_.now, known.promised) << "job " << to_string(start.job) << " starts late";
    }
    for (const Preempt& piece : done.preempts) {
      jobs_[piece.job].promised = -1;  // it waits again
      ++preempted_;
    }
    run_.end_preempted();
    note_promises();
    for (auto& [id, known] : jobs_) {
      bool waits = run_.job(id).state == JobState::Pending && known.promised >= 0;
      EXPECT_FALSE(waits && run_.now > known.promised) << "job " << to_string(id) << " waits";
    }
    again_ = done.look_again == WallTime{} ? -1 : seconds_of(done.look_again);
    if (done.idle() && (again_ < 0 || again_ > run_.now)) return expect_busy();
  }
  ADD_FAILURE() << "does not come to rest";
}

// Whatever is promised to whom for later, an empty cluster is nobody's.
void Stream::expect_busy() const {
  bool runs = false, waits = false;
  for (const auto& [id, known] : jobs_) {
    runs = runs || run_.size(id) > 0;
    waits = waits || run_.job(id).state == JobState::Pending;
  }
  EXPECT_TRUE(runs || !waits) << "nothing runs at " << run_.now;
}

void Stream::live(int arrivals) {
  for (int i = 0; i < arrivals && !testing::Test::HasFailure(); ++i) {
    end_until(run_.now + pick(0, 4) * 10);
    submit();
    pass();
  }
  end_until(run_.now + 100'000);
  for (auto& [id, known] : jobs_) {
    EXPECT_TRUE(is_over(run_.job(id).state)) << "job " << to_string(id) << " never started";
  }
}

void live_many(Backfill backfill) {
  bool is_long = std::getenv("WM_SOAK") && backfill != Backfill::Easy;
  const unsigned seeds = is_long ? 10'000 : 150;
  for (unsigned seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Stream(seed, backfill).live(30);
  }
}

TEST(promise_prop, easy_never_delays_the_first_that_waits) { live_many(Backfill::Easy); }

TEST(promise_prop, conservative_never_delays_anybody_that_was_promised_places) {
  live_many(Backfill::Conservative);
}

TEST(promise_prop, conservative_delays_nobody_when_others_make_way) {
  const unsigned seeds = std::getenv("WM_SOAK") ? 10'000 : 150;
  int preempted = 0;
  for (unsigned seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Stream stream(seed, Backfill::Conservative);
    stream.preempt();
    stream.live(30);
    preempted += stream.preempted();
  }
  EXPECT_GT(preempted, 100);
}

TEST(promise_prop, strict_order_starts_everybody) { live_many(Backfill::None); }

}  // namespace
}  // namespace wm::sched
