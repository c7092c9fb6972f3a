// Role: which jobs are forgotten: those that ended long enough ago and have nothing left on any
// host. Pure. Used by core.cc.
#pragma once

#include <vector>

#include "libwm/model/cluster.h"

namespace wm::master {

/// Jobs that ended before that time, and arrays of which all elements did, but none on which an
/// unfinished job depends. @cost O(jobs + elements of arrays submitted before)
std::vector<JobId> purgeable(const Cluster& state, WallTime before, std::size_t most);

}  // namespace wm::master
