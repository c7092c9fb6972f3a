// Role: fencing: the command that administrators configure is run for a silent host on which
// something may still run. When it says that the host is off, its attempts are over.
//
//   silent ─(fence_after)─► HostFenceBegan (durable) ─► command ─exit 0─► HostDied, ends of tasks
//                                ▲                         └─else─► HostFenceFailed
//                                ─(fence_retry)─┐
//                                └─────────────────────────────────────────────────────────────────┘
//
// Invariants: the command starts only after its event is durable; its answer counts only for
// the silence that it was started in: a host heard since is judged by what it says itself. A
// master that has just started waits until hosts had the time to come back to it, and while the
// loop stands still no host's time passes (silence.h).
// Called by core.cc.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "daemons/wmasterd/hosts/silence.h"
#include "daemons/wmasterd/state/journal.h"

namespace wm::master {

/// @thread the loop's
class Fence {
 public:
  Fence(Clock& clock, Processes& processes, Journal& journal, const ListeningTime& attended)
      : clock_(clock), processes_(processes), journal_(journal), attended_(attended) {}

  /// Called a few times a second: starts commands that are due. @cost O(hosts)
  void on_tick();

 private:
  bool is_due(const Host& host);
  void begin(const Host& host);
  void run(HostId host, WallTime silent_since);
  void take(HostId host, WallTime silent_since, const Result<std::string>& said);

  Clock& clock_;
  Processes& processes_;
  Journal& journal_;
  const ListeningTime& attended_;
  /// A silence, and the time attended when it was first seen.
  struct Silence {
    WallTime since;
    Duration seen;
  };
  std::map<HostId, Silence> silences_;
  std::set<HostId> under_way_;
  std::map<HostId, TimePoint> tried_;
};

/// Wait status of a process ended by SIGKILL: what a lost task ends with.
inline constexpr std::int32_t kKilled = 9;

/// The events of a host's death, for which `by` vouches: all tasks on it end as lost.
std::vector<EventBody> death_of(const Cluster& state, const Host& host, const std::string& by,
                                const std::string& why);

}  // namespace wm::master
