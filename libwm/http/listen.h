// Role: sockets of a host that the web door's daemons listen on, and reach each other by. Used by
// all three. Invariant: what may connect is told by the file's mode and by the account at the other
// end.
#pragma once

#include <sys/types.h>

#include <string>

#include "libwm/base/result.h"

namespace wm::http {

/// A socket at `path` that listens; what was there before is replaced. @errors System
Result<int> listen_at(const std::string& path, mode_t mode);

/// A connection to the socket at `path`. @errors Unavailable: nobody listens there
Result<int> connect_to(const std::string& path);

/// Does somebody listen there? @cost a connection
bool is_answered(const std::string& path);

}  // namespace wm::http
