// Role: what the processes of a running attempt use, as its host looks at them now and then: for
// who looks at the job. Never part of the state, and no decision reads it. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm {

/// A task that uses more of one of its GPUs than the gmem that it asked for.
struct GpuOveruse {
  TaskNumber task;
  std::string gpu;  ///< uuid
  Bytes used{0}, asked{0};
  bool operator==(const GpuOveruse&) const = default;
};

/// What the processes of one attempt use on one host, the user's commands beside the tasks among
/// them: now, and since the first of them started there. @units cpu: user + system time; mem:
/// resident
struct AttemptUse {
  JobId job;
  Attempt attempt;
  Duration cpu{};
  Bytes mem{0}, max_mem{0}, mean_mem{0};
  Bytes swap{0}, max_swap{0};
  std::uint32_t processes = 0, threads = 0;
  std::vector<std::int32_t> pids;         ///< the first of them, at most kMostPids
  std::vector<GpuOveruse> gpu_over = {};  ///< at the last look at its GPUs
  std::int64_t gpu_energy_mj = 0;         ///< of GPUs of tasks that run, as Usage has it
  bool operator==(const AttemptUse&) const = default;
};
inline constexpr std::size_t kMostPids = 64;

}  // namespace wm
