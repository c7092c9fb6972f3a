// Role: what runs in a queue is stopped when the queue's run window closes, and goes on when it
// opens; or it is ended, where the queue says so, or gets the signal that it asked for. Called by
// core.cc at every tick.
//
//   open ──closes──► JobSuspended of what runs ──opens──► JobResumed of what was stopped so
//            ├─ terminate_when = window ──► KillRequested
//            └─ bsub -s ──► the signal, once: none for a window that closed while no master was up
//
// Invariant: a job that somebody lets go on (bresume) while the window is closed runs on till the
// window closes the next time, or the master starts again.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// @thread the loop's
class RunWindows {
 public:
  struct Changes {
    std::vector<EventBody> events;
    std::vector<std::pair<JobId, std::int32_t>> signals;
  };
  /// What windows that have opened or closed since the last call bring, all of them at the first.
  /// @cost O(queues), and O(jobs that run) when one did
  Changes changes(const Cluster& state, WallTime now);

 private:
  std::map<std::string, bool> open_;  // queues with a run window
};

}  // namespace wm::master
