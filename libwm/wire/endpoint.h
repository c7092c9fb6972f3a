// Role: where a peer listens, as configuration and commands write it: "host:port",
// "[2001:db8::1]:port" or a socket's path. A value; nothing here opens anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::wire {

/// A TCP address (host and port) or, with a path, a unix socket.
struct Endpoint {
  std::string host;        ///< name or numeric address; when listening, empty means every address
  std::uint16_t port = 0;  ///< when listening, 0 means any free one
  std::string path;        ///< not empty: a unix socket, and the other two are unused
  bool operator==(const Endpoint&) const = default;
  bool is_local() const { return !path.empty(); }
};

/// Reads "host:port", "[address]:port", ":port", "/path" or "unix:path".
/// @errors BadArgument: no port, port outside 0..65535; Limit: path longer than 107 bytes
Result<Endpoint> parse_endpoint(std::string_view text);

/// The form that parse_endpoint() reads. @cost O(length)
std::string to_string(const Endpoint& endpoint);

}  // namespace wm::wire
