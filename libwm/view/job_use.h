// Role: what a job uses, wherever that is known from: while it runs from its hosts, which look now
// and then; once it is over from its end. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libwm/view/job_fields.h"

namespace wm::view {

/// What is known; until a host has told, nothing is.
struct JobUse {
  Duration cpu{};
  Bytes mem{0};  ///< now; of a job that is over its most
  Bytes max_mem{0};
  std::optional<Bytes> mean_mem;  ///< none: it was too short to be looked at
  Bytes swap{0};
  std::int64_t gpu_energy_mj = 0;            ///< of its GPUs until now; 0: no driver tells it
  std::uint32_t processes = 0, threads = 0;  ///< 0: not known
  std::vector<std::int32_t> pids;            ///< of its processes; of tasks where hosts tell none
};
/// Nothing: it has not run, or its hosts have not told yet. @cost O(tasks + processes)
std::optional<JobUse> use_of(const ShownJob& job);

/// CPU time by run time: below 1 it waits, above it computes in parallel. Nothing while that is not
/// known. @cost as use_of   @source LSF bjobs -l: IDLE_FACTOR
std::optional<double> idle_factor(const ShownJob& job);

/// "0.0": seconds, to one place. @cost O(1)
std::string tenths_of_seconds(Duration length);

}  // namespace wm::view
