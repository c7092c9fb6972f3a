// Role: where one pending job can start at once on given hosts, its place in the order and limits
// aside: what is free there is all that counts. Pure. Called by the master for brun.
#pragma once

#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/cluster.h"
#include "libwm/sched/plan/plan.h"

namespace wm::sched {

/// `job`: it, or the base of the array that `id` is an element of. `hosts`: rising.
/// @errors Impossible: says that its tasks do not fit there now
/// @cost O(hosts of the cluster)
Result<Start> place_now(const Cluster& cluster, const Job& job, JobId id,
                        const std::vector<HostId>& hosts, WallTime now);

}  // namespace wm::sched
