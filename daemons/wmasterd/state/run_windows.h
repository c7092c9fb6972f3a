// Role: what runs in a queue is stopped when the queue's run window closes, and goes on when it
// opens. Called by core.cc at every tick.
//
//   open ──closes──► JobSuspended of what runs ──opens──► JobResumed of what was stopped so
//
// Invariant: a job that somebody lets go on (bresume) while the window is closed runs on till the
// window closes the next time, or the master starts again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// Who stops jobs for a window, in Suspension::by: "run window of queue <night>".
std::string window_stopper(const std::string& queue);

/// @thread the loop's
class RunWindows {
 public:
  /// The events of windows that have opened or closed since the last call, of all at the first.
  /// @cost O(queues), and O(jobs) when one did
  std::vector<EventBody> changes(const Cluster& state, WallTime now);

 private:
  std::map<std::string, bool> open_;  // queues with a run window
};

}  // namespace wm::master
