// Role: what another configuration means for the state: it is in force, hosts that it does not
// list get no more jobs, what runs there goes on. Pure. Used by the master, and by what looks
// ahead (replay/whatif.h).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::fsm {

/// May a host of this name be one of the cluster's? @cost O(log hosts)
bool lists_host(const Config& config, std::string_view name);

/// Takes the configuration in, closes hosts that it does not list, and opens those that it lists
/// again, unless somebody else has closed them. @cost O(hosts x log hosts)
std::vector<EventBody> reconfigured(const Cluster& state, std::shared_ptr<const Config> config);

}  // namespace wm::fsm
