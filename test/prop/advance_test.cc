// Role: advance reservations over random clusters and job streams in virtual time: while one is
// active its slots are there for its jobs, whatever was lent before; its jobs are on its hosts, in
// its slots and in its time. Jobs run to their limits, and those without one for ever. Prints its
// seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "libwm/sched/capacity/set_aside.h"
#include "test/support/sched_run.h"

namespace wm::sched {
namespace {

using test::at;
using test::SchedRun;
using test::SpecBuilder;
using Backfill = SchedPolicy::Backfill;

constexpr double kStep = 300;

class Days {
 public:
  Days(unsigned seed, Backfill backfill) : random_(seed) {
    run_.policy.backfill = backfill;
    for (int n = pick(1, 3); n > 0; --n)
      hosts_.push_back(run_.host(static_cast<std::uint32_t>(pick(2, 5))));
  }
  void live(int steps);
  int lent() const { return lent_; }
  int used() const { return used_; }

 private:
  int pick(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<unsigned>(to - from + 1));
  }
  void reserve();
  void submit();
  void end_what_is_over();
  void expect_kept();
  bool is_active(const Reservation& reservation) const {
    return wm::is_active(reservation, {}, at(run_.now));
  }

  std::mt19937 random_;
  SchedRun run_;
  std::vector<HostId> hosts_;
  int reservations_ = 0, lent_ = 0, used_ = 0;
};

void Days::reserve() {
  Reservation made;
  made.name = "r" + std::to_string(reservations_);
  made.users = {"ann"};
  made.begin = at(run_.now + kStep * pick(2, 20));
  made.end = made.begin + std::chrono::duration_cast<Duration>(
                              std::chrono::duration<double>(kStep * pick(2, 10)));
  auto places =
      set_aside(run_.state, made, {hosts_, static_cast<std::uint32_t>(pick(1, 5)), false});
  if (!places) return;
  made.places = *places;
  if (!in_the_way(run_.state, made, at(run_.now)).empty()) return;  // who is there already stays
  ++reservations_;
  run_.step(ReservationSet{made, "root"});
}

void Days::submit() {
  SpecBuilder spec;
  auto tasks = static_cast<std::uint32_t>(pick(1, 3));
  spec.tasks(tasks, tasks).user(pick(0, 1) ? "bob" : "cid", 1002);
  if (pick(0, 3)) spec.spec.run_limit = std::chrono::seconds(300) * pick(1, 15);
  if (reservations_ > 0 && pick(0, 2) == 0) {
    spec.user("ann", 1001);
    spec.spec.reservation = "r" + std::to_string(pick(0, reservations_ - 1));
  }
  run_.submit(spec);
}

// At their limits, and with their reservation.
void Days::end_what_is_over() {
  std::vector<JobId> over;
  each_job(run_.state, [&](const Job& job) {
    if (slots_held(job) == 0) return;
    Duration limit = job.spec().run_limit;
    bool late = limit > Duration{} && job.times.dispatched + limit <= at(run_.now);
    const Reservation* reservation = find_reservation(run_.state, job.spec().reservation);
    if (late || (reservation && !is_active(*reservation))) over.push_back(job.id);
  });
  for (JobId id : over) run_.end(id);
}

void Days::expect_kept() {
  for (const auto& [name, reservation] : *run_.state.reservations) {
    bool active = is_active(reservation);
    for (HostId host : hosts_) {
      std::uint32_t own = 0, others = 0;
      each_job_on(run_.state, host, [&](const Job& job) {
        for (const Task& task : job.tasks)
          if (task.host == host && task.holds_slot())
            ++(job.spec().reservation == name ? own : others);
      });
      auto kept = slots_on(reservation, host);
      EXPECT_LE(own, active ? kept : 0u) << name << " on " << host.value << " at " << run_.now;
      if (!active) continue;
      std::uint32_t beside = 0;  // of reservations that are active as well
      for (const auto& [other, also] : *run_.state.reservations)
        if (other != name && is_active(also)) beside += slots_on(also, host);
      EXPECT_LE(others + kept, run_.host_of(host).capacity.slots)
          << name << " on " << host.value << " at " << run_.now << ", beside " << beside;
      used_ += own > 0;
    }
    bool soon = !active && reservation.begin > at(run_.now) &&
                reservation.begin < at(run_.now + 10 * kStep);
    for (const PromisedPlace& place : reservation.places)
      lent_ +=
          soon && run_.host_of(place.host).capacity.slots - run_.host_of(place.host).used_slots <
                      place.tasks;
  }
}

void Days::live(int steps) {
  for (int i = 0; i < steps; ++i, run_.now += kStep) {
    end_what_is_over();
    if (pick(0, 4) == 0) reserve();
    for (int n = pick(0, 2); n > 0; --n) submit();
    ASSERT_GE(run_.settle(), 0) << "does not come to rest at " << run_.now;
    expect_kept();
    if (testing::Test::HasFailure()) return;
  }
}

class advance_days : public testing::TestWithParam<Backfill> {};

TEST_P(advance_days, what_is_reserved_is_there_when_it_begins) {
  unsigned seeds = std::getenv("WM_SOAK") ? 2000 : 60;
  int lent = 0, used = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Days days(seed, GetParam());
    days.live(60);
    if (HasFailure()) return;
    lent += days.lent();
    used += days.used();
  }
  EXPECT_GT(lent, 10);  // else nothing was shown
  EXPECT_GT(used, 100);
}

INSTANTIATE_TEST_SUITE_P(policies, advance_days,
                         testing::Values(Backfill::None, Backfill::Easy, Backfill::Conservative));

}  // namespace
}  // namespace wm::sched
