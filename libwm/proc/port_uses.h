// Role: who is at some local ports of this network namespace, as the kernel lists its TCP sockets.
// @source proc(5): /proc/net/tcp, tcp6
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "libwm/model/meeting.h"

namespace wm::proc {

/// By port.
using PortUses = std::map<std::uint16_t, PortUse>;

/// Adds what one of the kernel's tables says of the ports that are in `uses`: whether somebody
/// listens, and established connections. Lines that are none of such a table are passed over.
/// @cost O(length)
void add_port_uses(std::string_view table, PortUses& uses);

/// The same of IPv4 and IPv6. A table that cannot be read counts as empty. @thread any
/// @cost O(connections of the namespace): about 1 ms a thousand
void look_at_ports(PortUses& uses);

}  // namespace wm::proc
