// Role: in which order pending jobs are looked at: queue priority, btop and bbot, fair share of
// the users (past_use.h) or slowdown where the queue says so, bsub -sp, then submit order. What
// users and plans may have at a time is not an order but an amount (targets.cc). Running jobs stand
// in the same order, for ties. Called by memory.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "libwm/base/units.h"

namespace wm::sched {

struct Claim;

/// True if `a` is looked at before `b`.
/// @cost O(1)
bool goes_before(const Claim& a, const Claim& b);

/// How long a job that states no limit is taken to run.
inline constexpr Duration kUnstated = std::chrono::hours(1);

/// How many times longer than alone the job will have taken if it starts now and runs to its
/// limit; 0: no limit is stated, an hour is taken. At least 1.
/// @cost O(1)
/// @source expansion factor as a priority: Srinivasan et al., Characterization of Backfilling
///         Strategies for Parallel Job Scheduling, ICPP Workshops 2002
double slowdown_of(Duration wait, Duration limit);

/// That as a rank: lower goes first, thousandths of a slowdown apart. @cost O(1)
std::uint32_t slowdown_rank(Duration wait, Duration limit);

/// What -sp counts in the order where it rises by one with each `step` of waiting; step 0: it does
/// not. All that wait rise alike, so the difference between two jobs never changes, and it is as
/// much less for each as it was submitted later.
/// @cost O(1)   @source LSF: JOB_PRIORITY_OVER_TIME
std::uint32_t risen_priority(std::uint32_t user_priority, WallTime submitted, Duration step);

/// Sorts claims into dispatch order. @cost O(n log n), O(n) when in order already
void put_in_order(std::vector<Claim>& claims);

}  // namespace wm::sched
