// Role: what a registration changes of the state: the host's truth about what runs there wins.
// Pure.
#pragma once

#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// Tasks of which the host knows nothing have ended: with its former boot, or with their shepherd;
/// those that run and had not been told of have started; agents are where it says.
/// @cost O(tasks on the host x attempts there)
std::vector<EventBody> reconcile(const Cluster& state, HostId host, const HostRegister& words);

}  // namespace wm::master
