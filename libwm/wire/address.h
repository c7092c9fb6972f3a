// Role: between Endpoint and the kernel's addresses. Names are not resolved here (that blocks):
// callers are listener.cc and dial.cc.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <string>

#include "libwm/wire/endpoint.h"

namespace wm::wire {

/// An address of any family, as Asio's generic sockets take it.
using Address = boost::asio::generic::stream_protocol::endpoint;

/// The address behind a path or a numeric host; an empty host means every IPv4 address.
/// @errors BadArgument: host is a name
Result<Address> numeric_address(const Endpoint& endpoint);

/// The endpoint behind a TCP or unix address. @cost O(1)
Endpoint endpoint_of(const Address& address);

}  // namespace wm::wire
