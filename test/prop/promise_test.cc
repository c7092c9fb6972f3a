// Role: dated starts over random clusters and job streams in virtual time: who holds places
// starts by the date he was first given, whatever was backfilled meanwhile. Jobs end at their
// run limits or before; nobody arrives with a better place in the order. Prints its seed.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "test/support/sched_run.h"

namespace wm::sched {
namespace {

using test::at;
using test::SchedRun;
using test::SpecBuilder;
using Backfill = SchedPolicy::Backfill;

class Stream {
 public:
  Stream(unsigned seed, Backfill backfill) : random_(seed) {
    run_.policy.backfill = backfill;
    run_.policy.promise_tolerance = Duration{};
    for (int n = pick(1, 4); n > 0; --n) run_.host(pick(1, 4), pick(0, 2));
  }
  void live(int arrivals);

 private:
  struct Known {
    double submitted, length;
    double promised = -1;  // binding: the first such date
  };
  int pick(int from, int to) { return from + static_cast<int>(random_() % (to - from + 1)); }
  void submit();
  void end_until(double time);
  void pass();
  void note_promises();
  bool fits_cluster(const JobSpec& spec) const;

  std::mt19937 random_;
  SchedRun run_;
  std::map<JobId, Known> jobs_;
};

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
  if (!fits_cluster(spec.spec)) return;
  double length = pick(1, 3) == 1 ? pick(1, limit) : limit;
  jobs_[run_.submit(spec)] = {run_.now, length};
}

// Jobs end when their time has come, each followed by a pass.
void Stream::end_until(double time) {
  for (;;) {
    JobId next;
    double first = time;
    for (auto& [id, known] : jobs_) {
      const Job& job = run_.job(id);
      if (is_over(job.state) || run_.size(id) == 0) continue;
      double end = std::chrono::duration<double>(job.dispatched - at(0)).count() + known.length;
      if (end <= first) first = end, next = id;
    }
    if (!next) break;
    run_.now = first;
    run_.end(next);
    pass();
  }
  run_.now = time;
}

void Stream::note_promises() {
  bool first = true;
  for (auto& [id, known] : jobs_) {
    const Job& job = run_.job(id);
    if (is_over(job.state) || run_.size(id) > 0) continue;
    bool conservative = run_.policy.backfill == Backfill::Conservative;
    bool binds = conservative ? !job.promised_places.empty() : first;
    if (job.promised != WallTime{} && binds && known.promised < 0) {
      known.promised = run_.promised(id);
    }
    if (job.promised != WallTime{}) first = false;
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
    note_promises();
    for (auto& [id, known] : jobs_) {
      bool waits = run_.job(id).state == JobState::Pending && known.promised >= 0;
      EXPECT_FALSE(waits && run_.now > known.promised) << "job " << to_string(id) << " waits";
    }
    if (done.idle()) return;
  }
  ADD_FAILURE() << "does not come to rest";
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
  constexpr unsigned kSeeds = 150;
  for (unsigned seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Stream(seed, backfill).live(30);
  }
}

TEST(promise_prop, easy_never_delays_the_first_that_waits) { live_many(Backfill::Easy); }

TEST(promise_prop, conservative_never_delays_anybody_that_was_promised_places) {
  live_many(Backfill::Conservative);
}

TEST(promise_prop, strict_order_starts_everybody) { live_many(Backfill::None); }

}  // namespace
}  // namespace wm::sched
