// Role: whether a job's other hosts start their tasks only after the first task runs. Asked by
// the task machine and by whoever writes orders to hosts.
#pragma once

#include "libwm/model/cluster.h"

namespace wm::fsm {

/// Are its processes told beforehand of a port to meet at (MASTER_PORT)? Those of an elastic
/// job that are started one by one agree on one themselves. @cost O(1)
bool needs_port(const Config& config, const JobSpec& spec);

/// The other hosts wait: for the pre-execution command on the first, or for the port that the
/// first one leases. @cost O(1)
bool first_host_goes_first(const Config& config, const JobSpec& spec);

}  // namespace wm::fsm
