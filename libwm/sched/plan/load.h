// Role: whether a host's load keeps the jobs of a queue from starting there, and stops those that
// run. Pure: the master brings what hosts measure (daemons/wmasterd/hosts/load_watch.h).
//
//   fine ──beyond a sched──► busy ──beyond a stop──► stops ──below every sched──► fine
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/model/load_limits.h"

namespace wm::sched {

/// How a host stands for the jobs of a queue.
struct LoadState {
  bool busy = false;   ///< none starts there
  bool stops = false;  ///< those that run are stopped, or stay so
  std::string why;     ///< the first limit that says so: "r1m 2.4 (0.7)"
  bool operator==(const LoadState&) const = default;
};

/// `stopped`: it said so the last time. What is not measured is beyond nothing. @cost O(limits)
LoadState judge_load(const std::vector<LoadLimit>& limits, const Measured& host, bool stopped);

/// Hosts where none of a queue's jobs starts now, and why: by queue.
using LoadedHosts = std::map<std::string, std::map<HostId, std::string>>;

}  // namespace wm::sched
