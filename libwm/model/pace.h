// Role: what bears on the size of an elastic job: which sizes are of use to it, how fast it has
// shown itself to be, and what a change costs it.
// Values, parts of Job and JobSpec (job.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/elastic.h"

namespace wm {

/// Which numbers of tasks an elastic job can make use of. @source bsub -sizes
enum class UsefulSizes : std::uint8_t {
  Any = 0,
  PowersOfTwo = 1,
  WholeHosts = 2,  ///< multiples of what the largest of its hosts takes
};

/// How fast an elastic job was with one number of tasks, as it reported itself.
/// @units samples; exchange: part of `step` that exchanging gradients adds, negative = not measured
struct StepReport {
  std::uint32_t hosts = 1, tasks = 1;
  double local_batch = 1;  ///< samples a task computes in a step
  Duration step{};
  Duration exchange = Duration(-1);
  bool operator==(const StepReport&) const = default;
};

/// All that a job has shown of its speed; kept over its attempts.
struct Pace {
  std::vector<StepReport> reports;  ///< newest of each size and batch, newest last, at most 32
  double noise = -1;  ///< gradient noise scale, newest; negative: none. @units samples
  BatchRange batch;
  Duration resize_cost{};     ///< of a change of size, mean of the measured ones
  std::uint32_t resizes = 0;  ///< how many were measured
  bool operator==(const Pace&) const = default;
};

}  // namespace wm
