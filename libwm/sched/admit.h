// Role: keeps of a plan what the newest state still allows. A pass works on a frozen copy and
// may be a while about it; meanwhile jobs end, hosts close, users kill. Each piece is looked
// at by itself: one that no longer fits is dropped (the next pass makes a better one), the
// rest stands. Called by the master right before it turns pieces into events.
#pragma once

#include "libwm/model/cluster.h"
#include "libwm/sched/plan/plan.h"

namespace wm::sched {

/// The pieces that fit `newest`, each counted on top of those before it. `waiting` is left
/// as it is.
/// @cost O(pieces log cluster), independent of the cluster's size   @thread any
Plan admit(const Cluster& newest, const Plan& plan);

}  // namespace wm::sched
