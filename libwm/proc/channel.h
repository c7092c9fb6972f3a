// Role: unix stream sockets for the single-threaded programs below wnoded (zygote, shepherd) and
// for tests: who is at the other end; one descriptor can be passed along. What goes over them are
// frames (libwm/frames). Invariant: every descriptor made here is close-on-exec.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/files/fd.h"

namespace wm::proc {

/// A connected pair of stream sockets. @errors System
Result<std::pair<Fd, Fd>> socket_pair();
/// Listens on `path`, replacing a dead socket there; mode 0600.
/// @errors BadArgument: path longer than 107 bytes; System
Result<Fd> listen_unix(const std::string& path);
/// @errors BadArgument as listen_unix; Unavailable: nobody listens there; System
Result<Fd> connect_unix(const std::string& path);

/// Who is at the other end of a unix socket.
struct Peer {
  uid_t uid = 0;
  pid_t pid = 0;
};
/// @errors System
Result<Peer> peer_of(int fd);

/// Asks the zygote for one more process: hands it the socket that process will serve.
/// @errors Unavailable: the zygote is gone
Result<void> send_fd(int zygote, int fd);
/// What the zygote receives. No value: wnoded is gone. @errors Damaged
Result<std::optional<Fd>> receive_fd(int zygote);

}  // namespace wm::proc
