// Role: what bhosts -aff shows: the CPUs of a host that affinity[] chooses from, as a tree of NUMA
// nodes, sockets and cores. Pure. @source LSF bhosts -aff
#pragma once

#include <string>

#include "libwm/model/verbs/verbs.h"

namespace wm::view {

/// "AFFINITY: Enabled", then a line for the host, each NUMA node, socket and core with the numbers
/// of its CPUs; "AFFINITY: Disabled" where jobs are not bound. @cost O(CPUs log CPUs)
std::string topology_text(const HostView& view);

}  // namespace wm::view
