// Role: one scheduling pass, pure: the cluster as it stands in, a Plan out. Nothing is read
// from anywhere else and nothing is changed, so a user's complaint becomes a test.
//
//   refresh, line_up (memory, claim, order, requests) → apply_limits → ┌ set_targets (shares,
//   take_over) ┐
//                                                     └ Placement  (place, donors)    ◄─┘ ≤ 8 x
//                                                     → starts, grows, shrinks, reasons
//
// Jobs that differ in nothing but their number are looked at as far as they could start; what
// keeps the last of them waiting keeps the rest.
//
// Invariants: same cluster, same plan, whatever the memory holds; a start uses only what is free;
// nothing leaves unless a claim is promised its place or a limit was lowered; applied and asked
// again, the plan comes to rest. Called by the master on a worker, by bsim, by tests.
#pragma once

#include "libwm/model/cluster.h"
#include "libwm/sched/memory.h"
#include "libwm/sched/plan/plan.h"

namespace wm::sched {

/// Decides what to start, grow and shrink, and says why all other pending jobs wait.
/// `now`: for the quiet period after a resize.
/// @cost O(jobs + tasks + hosts x distinct requests + granted tasks x hosts looked at)
/// @thread any: `cluster` is a frozen copy
Plan schedule(const Cluster& cluster, const SchedPolicy& policy, WallTime now);

/// The same with what the last pass left: costs what has changed, and a walk over what runs.
/// @cost as refresh and line_up, plus the above for claims that are looked at
/// @thread any, one at a time with this memory   @owns `memory` keeps objects of `cluster` alive
Plan schedule(const Cluster& cluster, const SchedPolicy& policy, WallTime now, Memory& memory);

}  // namespace wm::sched
