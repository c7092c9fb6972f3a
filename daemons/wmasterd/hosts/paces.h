// Role: what is worth keeping of the progress that elastic jobs report once a second: a step time
// of each size, once the size has settled. It becomes an event (StepsMeasured), so the scheduler
// finds it in the state, a master that is started again goes on with it, and replay gives the
// same sizes; a report that says nothing new costs no event.
//
//   JobProgress ─► same epoch, all members, 3 reports ─► medians ─► new, or off by 15 % ─► event
//
// A job that is started again at each size has no epochs: its reports carry the number of its start
// in the attempt ($WM_START), all its slots count as members, and the time from the last report of
// one start to the first of the next is what the change cost it. That goes with the next event.
//
// Invariants: jobs that are not sized by what they report make no events; one that is makes at most
// one every 30 s at a size that was measured before. Called by fact_intake.cc.
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
    Attempt attempt;
    TimePoint spoke{};              // of a job that is started again: its last report
    Duration pause = Duration(-1);  // before this start; told with the next event
  };
  static void note_start(Heard& heard, const Job& job, EpochNumber start, TimePoint now);

  std::map<JobId, Heard> heard_;
};

}  // namespace wm::master
