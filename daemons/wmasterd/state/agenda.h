// Role: what of the jobs has to be looked at by time or because of other jobs, so that nobody
// walks over all of them: their next times in order, and those that depend on others. Kept up by
// what each event touched; equal at any time to what a walk over the state finds.
// Called by dates.cc.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// When something of this job comes due next by itself: its begin or termination time, the end of
/// its memory reservation, the time by which it or a task of it has to leave. None: WallTime{}.
/// `after`: begin times up to there are known. @cost O(tasks)
WallTime next_due(const Job& job, WallTime after);
/// When a job that has never started has waited for as long as it was to; 0: no limit. @cost O(1)
WallTime pending_limit_of(const Job& job);
/// When what runs of a reservation is ended with it; 0: it is none that is closed.
/// @cost O(windows + log reservations)
WallTime reservation_ends(const Cluster& state, const Job& job);
/// The events of tasks and memory that are due. @cost O(tasks)
void add_due(const Job& job, WallTime now, std::vector<EventBody>& events);

/// @thread the loop's
class Agenda {
 public:
  /// As a walk over the state finds it. @cost O(jobs log jobs)
  static Agenda of(const Cluster& state, WallTime after);
  /// The job may have changed, or be gone. @cost O(log jobs + its tasks)
  void note(const Cluster& state, JobId job, WallTime after);

  /// Jobs that are due, earliest first; one stays until it is noted with another time.
  /// @cost O(those)
  std::vector<JobId> due(WallTime now) const;
  /// Unfinished jobs that have a dependency in their specification.
  const std::set<JobId>& dependents() const { return dependents_; }
  /// Those of them that wait to start.
  const std::set<JobId>& waiting() const { return waiting_; }
  bool operator==(const Agenda&) const = default;

 private:
  void set(JobId job, WallTime when);

  std::map<JobId, WallTime> times_;
  std::set<std::pair<WallTime, JobId>> order_;
  std::set<JobId> dependents_, waiting_;
};

}  // namespace wm::master
