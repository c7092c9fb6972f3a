// Role: in which order pending jobs are looked at: queue priority, btop and bbot, fair share
// of the users where the queue says so (past_use.h), bsub -sp, then submit order. What users
// and plans may have at a time is not an order but an amount (targets.cc). Running jobs stand
// in the same order, for ties. Called by claim.cc.
#pragma once

#include <vector>

namespace wm::sched {

struct Claim;

/// True if `a` is looked at before `b`.
/// @cost O(1)
bool goes_before(const Claim& a, const Claim& b);

/// Sorts claims into dispatch order. @cost O(n log n), O(n) when in order already
void put_in_order(std::vector<Claim>& claims);

}  // namespace wm::sched
