// Role: what is due by the clock or by what other jobs did, and by no event of the job itself: a
// begin time that comes wakes the scheduler, a termination time ends its job, a task that did not
// leave in time is killed, an orphan (-ti) with a dependency that can never be met is ended. Where
// the wall clock has just been set, what a date of the calendar would end waits (journal.h).
// Called by core.cc.
#pragma once

#include <set>

#include "daemons/wmasterd/hosts/silence.h"
#include "daemons/wmasterd/state/agenda.h"
#include "daemons/wmasterd/state/cycle.h"
#include "daemons/wmasterd/state/journal.h"

namespace wm::master {

/// @thread the loop's
class Dates {
 public:
  Dates(Clock& clock, Journal& journal, Cycle& cycle, const ListeningTime& attended)
      : clock_(clock), journal_(journal), cycle_(cycle), attended_(attended) {}

  /// The published state was read anew. @cost O(jobs log jobs)
  void on_reload();
  /// These jobs have changed in the published state. @cost O(those)
  void on_jobs_changed(const std::set<JobId>& jobs);
  /// Called a few times a second. @cost O(what is due), and once a second O(orphans to be)
  void on_tick();
  /// True if a job that waits may depend on another: every change of a job may let it start.
  /// @cost O(1)
  bool any_dependent() const { return !agenda_.waiting().empty(); }
  /// Numbers of the jobs that unfinished ones depend on: they must stay known.
  /// @cost O(conditions of unfinished jobs)
  std::set<std::uint32_t> depended_on() const;

 private:
  void look(JobId id, WallTime now, std::vector<EventBody>& events);
  bool end_by_date(const Job& job, WallTime now, std::vector<EventBody>& events) const;
  void end_orphans(WallTime now, std::vector<EventBody>& events) const;
  void end_orphan(const Job& job, WallTime now, std::vector<EventBody>& events) const;

  Clock& clock_;
  Journal& journal_;
  Cycle& cycle_;
  const ListeningTime& attended_;
  Agenda agenda_;
  TimePoint looked_{};
  WallTime last_{};  // begin times up to here have been told
};

}  // namespace wm::master
