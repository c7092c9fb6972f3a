// Role: how many tasks every claim should have: shares between plans and users by filling,
// then within a user: running floors, pending jobs in order with their minimum, the rest
// equally among elastic jobs. Precedence (DESIGN 5.1):
//   1. floors of what runs
//   2. pending rigid jobs of a higher-priority queue: idle, then the surplus of elastic jobs
//      of lower-priority queues, lowest first
//   3. all else by filling; if a user's amount does not cover a pending job's minimum, the job
//      waits, the latest first, and the amount goes to others
// A rigid job that runs beyond its user's share goes on being paid by lower queues as far as
// they have surplus (take_over.h), or each further one would drain higher queues as well.
// Twice over: first without regard to what jobs have today, which settles which jobs start; then
// with that settled and today's counts kept where they are as good, which settles sizes. So
// which jobs start never depends on which are being resized, and passes do not chase each other.
// GPU claims are counted in GPUs and filled first; the others share the slots left.
// Called by schedule.cc, once a round. Knows nothing of places.
#pragma once

#include "libwm/sched/demand/claim.h"
#include "libwm/sched/shares/plan_tree.h"

namespace wm::sched {

/// What the cluster has to divide. @units whole slots and GPUs, stuck ones left out
struct Capacities {
  Units slots = 0;
  Units gpus = 0;
};

/// Open hosts whole, of the others what running jobs hold.
/// @cost O(closed hosts), and O(tasks of those that are not steady) where any is closed
Capacities capacities_of(const Claims& claims);

/// What the filling leaves over. @units as Capacities
struct Spare {
  Units slots = 0;
  Units gpus = 0;
};

/// Sets target and admitted of every claim. `tree` has the users' leaves; the `steady` ones keep
/// what they have.
/// @cost O((claims + steady groups) x rounds)
/// @source DESIGN 5.1; the largest-first yielding of what cannot start is ours
Spare set_targets(std::vector<Claim>& claims, PlanTree tree, Capacities capacities,
                  const std::vector<Steady>& steady = {});

}  // namespace wm::sched
