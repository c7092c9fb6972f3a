// Role: which jobs are forgotten: those that ended long enough ago and have nothing left on any
// host. Pure. Used by core.cc.
#pragma once

#include <vector>

#include "libwm/model/cluster.h"

namespace wm::master {

/// A part of the walk over all jobs.
struct PurgeStep {
  std::uint32_t from = 0;       ///< the number to begin with
  std::size_t look_at = 10000;  ///< jobs and elements
  std::size_t most = 1000;      ///< to be forgotten
};
/// What it found.
struct Purgeable {
  std::vector<JobId> jobs;
  std::uint32_t next = 0;  ///< where to go on; 0: at the beginning again
};

/// Has the job ended before that time, with all of its elements, and nothing of it is left on a
/// host?
/// @cost O(elements)
bool is_purgeable(const Cluster& state, const Job& job, WallTime before);

/// Jobs that ended before that time, and arrays of which all elements did.
/// @cost O(look_at + elements of the last array)
Purgeable purgeable(const Cluster& state, WallTime before, const PurgeStep& step);

}  // namespace wm::master
