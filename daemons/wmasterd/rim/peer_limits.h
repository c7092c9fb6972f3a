// Role: how many sessions users may have with this master, from the descriptors that it has, and
// which accounts the cluster lives by.
#pragma once

#include "libwm/wire/peer_room.h"

namespace wm::master {

/// An eighth of the descriptors, at least 256, is for hosts, the store, and for clients of root, of
/// the master's own account and of the web door's (wm-web, where there is one).
/// @cost one look-up of an account: may wait for the name service
wire::PeerLimits peer_limits();

}  // namespace wm::master
