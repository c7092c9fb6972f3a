// Role: the numbers of bplans: for every plan what it uses, asks for and deserves, and what
// it has lent and borrowed. The same claims and the same filling as a pass, nothing decided.
// Counted in GPUs where any job asks for GPUs, else in slots; one unit for the whole tree.
//
//   DESERVED  what filling would give it for its demand if nothing ran yet
//   LENT      owned, idle, and in use by siblings     BORROWED  in use, owned by siblings
//
// Invariant: among siblings, lent and borrowed add up to the same. Called by the master.
#pragma once

#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::sched {

/// Every plan, in the order of the configuration ("/" first).
/// @units GPUs or slots, see above   @cost O(jobs + plans)   @thread any
std::vector<PlanView> view_plans(const Cluster& cluster, WallTime now);

/// True if view_plans counts GPUs: some live job asks for them.
/// @cost O(jobs)
bool counts_gpus(const Cluster& cluster);

}  // namespace wm::sched
