// The wall clock was set. Whatever has begun and not ended is dated anew, so that differences to
// its instants stay what they were: run times, charges, graces. Dates that people name (begin,
// termination, windows, reservations, periods of budgets) and what is over stay as they are.
#include <algorithm>

#include "libwm/fsm/edit.h"
#include "libwm/model/clock_watch.h"

namespace wm::fsm {
namespace {

void shift(WallTime& instant, Duration by) {
  if (instant != WallTime{}) instant += by;
}

void shift(Task& task, Duration by) {
  shift(task.since, by);
  shift(task.leave_by, by);
  shift(task.ended, by);
}

void shift(PendState& waits, Duration by) {
  shift(waits.promised, by);
  shift(waits.first_promised, by);
  if (waits.preempted) shift(waits.preempted->leave_by, by);
}

void shift(Job& job, Duration by) {
  shift(job.times.submitted, by);
  shift(job.times.dispatched, by);
  shift(job.times.started, by);
  shift(job.times.ended, by);
  for (std::size_t i = 0; i < job.tasks.size(); ++i) shift(job.tasks.edit(i), by);
  shift(job.waits, by);
  shift(job.holding.as_of, by);
  shift(job.holding.draw.as_of, by);
  shift(job.suspension.since, by);
  shift(job.size.grow_again, by);
  for (auto& setback : job.size.setbacks) shift(setback.until, by);
  if (job.kill) shift(job.kill->at, by);
  shift(job.trial.reported, by);
}

// A wait that is off by less than a minute harms nobody: a million waiting jobs stay untouched.
bool moves_along(const Job& job, bool is_long) {
  if (slots_held(job) > 0 || job.parked) return true;
  return is_long && !is_over(job.state);
}

}  // namespace

void apply_to(Cluster& c, const ClockStepped& e, WallTime, Touched& t) {
  std::vector<std::uint64_t> jobs, hosts, accounts;
  std::vector<JobId> elements;
  bool is_long = std::chrono::abs(e.by) >= kLongClockStep;
  c.jobs.each([&](std::uint64_t number, const Job& job) {
    if (moves_along(job, is_long)) jobs.push_back(number);
  });
  c.elements.each([&](std::uint64_t, const Job& job) {
    if (moves_along(job, is_long)) elements.push_back(job.id);
  });
  c.hosts.each([&](std::uint64_t number, const Host&) { hosts.push_back(number); });
  c.accounts.each([&](std::uint64_t number, const UsageAccount&) { accounts.push_back(number); });
  for (auto number : jobs) shift(c.jobs.edit(number), e.by);
  for (auto id : elements) shift(edit_job(c, id), e.by);
  for (auto number : hosts) {
    shift(c.hosts.edit(number).registered, e.by);
    shift(c.hosts.edit(number).silent_since, e.by);
  }
  for (auto number : accounts) shift(c.accounts.edit(number).as_of, e.by);
  c.clock_doubt += e.by;
  if (!e.waits) end_doubt(c);
  t.schedule = true;
}

void apply_to(Cluster& c, const ClockTrusted&, WallTime, Touched& t) {
  end_doubt(c);
  t.schedule = true;
}

}  // namespace wm::fsm
