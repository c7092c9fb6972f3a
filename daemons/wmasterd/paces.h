// Role: what is worth keeping of the progress that elastic jobs report once a second: a step time
// of each size, once the size has settled. It becomes an event (StepsMeasured), so the scheduler
// finds it in the state, a master that is started again goes on with it, and replay gives the
// same sizes; a report that says nothing new costs no event.
//
//   JobProgress ─► same epoch, all members, 3 reports ─► medians ─► new, or off by 15 % ─► event
//
// Invariants: jobs that are not sized by gain make no events; one that is makes at most one every
// 30 s at a size that was measured before. Called by hosts.cc.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// @thread the loop's
class Paces {
 public:
  /// Takes a report in. Returns what is to be recorded, if anything is.
  /// @cost O(tasks of the job + its reports)
  std::optional<StepsMeasured> hear(const Cluster& state, JobId job, const JobProgress& report,
                                    TimePoint now);
  /// Drops what is kept of a job that is over.
  void forget(JobId job) { heard_.erase(job); }

 private:
  struct Heard {
    EpochNumber epoch;
    std::vector<WorkerProgress> last;  // of this epoch, newest last, at most kSettled
    std::optional<TimePoint> told;     // the last event
  };
  std::map<JobId, Heard> heard_;
};

}  // namespace wm::master
