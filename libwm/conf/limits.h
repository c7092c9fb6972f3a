// Role: limits.conf and slas.conf beyond their keys, and the clock that all time windows go by.
// Called by load.cc.
#pragma once

#include "libwm/conf/budgets.h"
#include "libwm/conf/check.h"

namespace wm::conf {

/// Adds a problem for each limit that bounds nothing, or what cannot be counted host by host, and
/// for each service class without a goal. @cost O(limits)
void check_limits(const Config& config, const Lines& lines, Problems& problems);

/// By how much that clock is ahead of UTC from when on: ::timegm, ::mktime. Nothing of UTC.
/// @cost O(days of 40 years)
ClockSteps clock_steps(Clock clock);

}  // namespace wm::conf
