// Role: limits that count across jobs: slots of a queue, of a user in a queue, of a user; rules.
// Runs before shares are divided: pending jobs that would exceed one are barred, elastic
// jobs of a limited group share what is left of it. Called by schedule.cc.
#pragma once

#include "libwm/sched/demand/claim.h"

namespace wm::sched {

/// Bars pending claims beyond a limit (barrier says which) and lowers max of the others.
/// Every pending job counts with its minimum, in dispatch order.
/// The `steady` ones count.
/// @cost O((claims + steady groups) x log users), O(1) where nothing is limited   @thread any
void apply_limits(const Config& config, std::vector<Claim>& claims,
                  const std::vector<Steady>& steady = {}, const Rules& rules = {});

}  // namespace wm::sched
