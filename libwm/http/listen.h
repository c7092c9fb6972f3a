// Role: sockets of a host that the web door's daemons listen on, and reach each other by. Used by
// all three. Invariant: what may connect is told by the file's mode and by the account at the other
// end.
#pragma once

#include <sys/types.h>

#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::http {

/// How long a connection to another's process is waited for: a stopped one accepts none, and once
/// its queue is full the kernel would wait for ever.
inline constexpr Duration kConnectPatience = std::chrono::seconds(2);

/// A socket at `path` that listens; what was there before is replaced. @errors System
Result<int> listen_at(const std::string& path, mode_t mode);

/// A connection to the socket at `path`. @errors Unavailable: nobody listens there; Timeout: who
/// listens there accepts nothing   @cost blocks, no longer than `limit`
Result<int> connect_to(const std::string& path, Duration limit = kConnectPatience);

/// Has the peer of a connected socket hung up? @cost never waits
bool has_hung_up(int fd);

/// Does somebody listen there? Also who is stopped, or has a full queue. @cost never waits
bool is_answered(const std::string& path);

}  // namespace wm::http
