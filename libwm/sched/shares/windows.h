// Role: whether a job may start at this time of the week: the windows of its queue and of its
// plans, and when the next of any window opens or closes. Pure.
#pragma once

#include <string>

#include "libwm/model/cluster.h"

namespace wm::sched {

/// Why not now; empty: as far as windows go it may. `limit`: it runs so long at most; a job that
/// would not be over when its queue's run window closes does not start. 0: no limit.
/// @cost O(windows x depth of its plan)
std::string closed_window(const Config& config, const JobSpec& spec, Duration limit, WallTime now);

/// The next time at which a window of a queue or plan opens or closes; 0: there is none.
/// @cost O(windows)
WallTime next_window_edge(const Config& config, WallTime now);

/// A plan's weight at that time. @cost O(windows)
std::uint32_t shares_of(const PlanConf& plan, const ClockSteps& clock, WallTime now);

}  // namespace wm::sched
