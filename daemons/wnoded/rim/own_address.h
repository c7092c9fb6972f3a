// Role: the numeric address that other hosts reach this one by, where hosts.conf gives a name or
// nothing. Jobs, ports and agents are given numbers only.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::node {

/// What is known of the ways to this host.
struct Ways {
  std::vector<std::string> of_name;  ///< IPv4 addresses that its name resolves to
  std::string to_master;             ///< the one it speaks to the master from; empty: no way there
};

/// `now` while its name still means it; else the first that other hosts can reach. Where the name
/// means this machine's loopback only, as Debian writes it into /etc/hosts, and the master is
/// elsewhere, the address on the way to it. Empty: none is known.
/// @cost O(addresses)
std::string choose_address(const Ways& ways, const std::string& now);

/// Is it an IPv4 address in digits? @cost O(1)
bool is_numeric(const std::string& address);

/// Asks the resolver and the kernel. @errors none: what is not known is empty
/// @thread any; may block for as long as the resolver does
Ways look_for_ways(const std::string& name, const std::string& master_host);

}  // namespace wm::node
