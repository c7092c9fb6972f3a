#include "libwm/proc/job_ports.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace wm::proc {

Result<void> JobPorts::hold(const AttemptKey& key, const std::string& address, std::uint32_t port) {
  for (const auto& [owner, held] : held_) {
    if (held.port != port) continue;
    if (owner == key) return {};
    return fail(Code::Conflict,
                "port " + std::to_string(port) + " is held for " + to_string(owner));
  }
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1)
    return fail(Code::BadArgument, "not a numeric address: '" + address + "'");
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  int on = 1;
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
    return system_error("socket");
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0)
    return fail(Code::Conflict,
                "port " + address + ":" + std::to_string(port) + ": " + std::strerror(errno));
  held_[key] = Held{port, std::move(fd)};
  return {};
}

}  // namespace wm::proc
