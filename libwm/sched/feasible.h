// Role: refuses at submit what no state of this cluster could run, with the nearest that there
// is: "never" and "not now" (requests.h) are different answers. Called by the master's submit.
#pragma once

#include "libwm/base/result.h"
#include "libwm/model/cluster.h"

namespace wm::sched {

/// Could this job run if the cluster were empty and every host open? The text names what is
/// asked and the nearest that there is. Says yes while hosts of the configuration have not
/// registered yet, or no host is known.
/// @errors Impossible: never, with the nearest miss; BadArgument: the select expression, or
/// a name of -m that is no host or group, or not of the queue
/// @cost O(hosts until as many tasks as it needs find room), O(hosts) if there are none such or
/// rules bind hosts to each other
Result<void> check_feasible_ever(const Cluster& cluster, const JobSpec& spec);

}  // namespace wm::sched
