// Role: what tasks that run use: of memory, processors and processes, for who looks at them now
// (HostUses), and of their GPUs, measured by their host now and then: what reports
// say of how well GPUs were used. Lossy by design: what was not looked at is missing, and how much
// was is told beside it. Values; never part of the state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/attempt_use.h"

namespace wm {

/// What one task used since it was told last. A GPU that several share counts for each by its part
/// of the holders.
struct TaskMeter {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  Duration seen{};             ///< GPU time that was looked at
  Duration busy{};             ///< of it: in which a kernel ran, as the driver says
  std::int64_t energy_mj = 0;  ///< of the GPUs meanwhile; 0: the driver does not tell
  Duration cpu{};              ///< that its processes computed, as they were looked at
  Duration cpu_seen{};         ///< time in which they were
  Bytes mem_peak{0};           ///< the most that they had together when they were looked at
  bool operator==(const TaskMeter&) const = default;
};
/// Frame type of HostMeter, beside those of NodeVerb (node.h): host to master, lossy.
inline constexpr std::uint16_t kMeterFrame = 480;

/// A frame of a host.
struct HostMeter {
  std::vector<TaskMeter> tasks;
  std::int64_t cpu_energy_mj = 0;  ///< of its processor packages since it was told last
  Duration energy_seen{};          ///< time in which that was counted; 0: nothing counts it
  bool operator==(const HostMeter&) const = default;
};

/// Frame type of HostUses: host to master, lossy.
inline constexpr std::uint16_t kUsesFrame = 481;

/// A frame of a host: all that runs there and was looked at, by job and attempt. It stands in place
/// of the one before.
struct HostUses {
  std::vector<AttemptUse> attempts;
  bool operator==(const HostUses&) const = default;

  /// Of that attempt; nullptr: not looked at yet. @cost O(log attempts)
  const AttemptUse* of(JobId job, Attempt attempt) const {
    auto at = std::ranges::lower_bound(attempts, std::pair(job, attempt), {}, [](const auto& use) {
      return std::pair(use.job, use.attempt);
    });
    bool found = at != attempts.end() && at->job == job && at->attempt == attempt;
    return found ? &*at : nullptr;
  }
};

}  // namespace wm
