// Role: at which local ports of this network namespace somebody is connected, as the kernel lists
// its TCP sockets.
// @source proc(5): /proc/net/tcp, tcp6
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace wm::proc {

/// Adds the local ports of the established connections in one of the kernel's tables. Lines that
/// are none of such a table are passed over. @cost O(length)
void add_connected_ports(std::string_view table, std::set<std::uint16_t>& ports);

/// Those of IPv4 and IPv6. A table that cannot be read counts as empty. @thread any
/// @cost O(connections of the namespace): about 1 ms a thousand
std::set<std::uint16_t> connected_ports();

}  // namespace wm::proc
