// Role: tasks on drained hosts that may leave, since others have taken their places. Called by
// schedule.cc once all places are found.
//
//   moving tasks that stay = what the job is to have - those elsewhere that have begun their work
//
// So a job that gets no place elsewhere, within its shares, gives up what it has there; one that is
// below its minimum then keeps it, and the last one of a group that may have none.
#pragma once

#include <cstdint>
#include <optional>

#include "libwm/sched/demand/claim.h"
#include "libwm/sched/plan/plan.h"

namespace wm::sched {

/// The tasks of a running claim that leave drained hosts now, highest numbers first; none: nobody.
/// `granted`: tasks that it gets in this pass.
/// @cost O(tasks)
std::optional<Shrink> leave_drained(const Cluster& cluster, const Claim& claim,
                                    std::uint32_t granted);

}  // namespace wm::sched
