// Role: what a set of processes uses at this moment, from /proc: for limits and for the peak
// where no cgroup counts it. A sample misses what lives between two samples; it is cheap
// enough for once a second.
// Called by the shepherd with the processes of its attempt.
#pragma once

#include <sys/types.h>

#include <vector>

#include "libwm/base/units.h"
#include "libwm/launch/launch_parts.h"

namespace wm::proc {

/// The sum over the processes. @units cpu: user and system time of those that live and of the
///        children they have waited for; mem: resident, pages shared by several counted by
///        each; swap: virtual memory
struct Use {
  Duration cpu{};
  Bytes mem, swap;
  std::uint32_t processes = 0, threads = 0;
  bool operator==(const Use&) const = default;
};

/// Reads the stat of each; those that are gone or zombies count nothing but their CPU time.
/// @cost one read of /proc a process
Use use_of(const std::vector<pid_t>& pids);

/// Resident memory with shared pages divided among those that share them. Falls back to
/// resident memory if a process's map may not be read. @cost reads every mapping
Bytes fair_mem_of(const std::vector<pid_t>& pids);

/// Which limit is exceeded: its name ("memory"), nothing if none is.
enum class Excess : std::uint8_t { None, Cpu, Mem, Swap, Processes, Threads };

/// The first limit that `use` is above. Pure. @cost O(1)
Excess excess_of(const Use& use, const launch::UseLimits& limits);

}  // namespace wm::proc
