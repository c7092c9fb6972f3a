// Role: precedence (2) of DESIGN 5.1, on amounts: a pending rigid job that its user's share
// does not cover takes what is idle, then the surplus of elastic jobs of lower-priority
// queues; what then is still idle lets other pending jobs start and elastic jobs grow beyond
// their share. Called by targets.cc.
#pragma once

#include <vector>

#include "libwm/sched/claim.h"
#include "libwm/sched/plan_tree.h"

namespace wm::sched {

/// Changes targets and admissions of claims (all of one class, dispatch order) to use
/// `spare`; plan limits are kept, plans with a borrow bound take nothing here.
/// Returns what is left.
/// @units Units of the class   @cost O(claims + units moved x donors)
Units take_over(const std::vector<Claim*>& claims, const PlanTree& tree, Units spare);

}  // namespace wm::sched
