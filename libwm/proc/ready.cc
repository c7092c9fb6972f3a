#include "libwm/proc/ready.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "libwm/base/log.h"

namespace wm::proc {

void tell_ready() {
  const char* named = std::getenv("NOTIFY_SOCKET");
  if (!named) return;
  const std::string path = named;
  ::unsetenv("NOTIFY_SOCKET");
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(to.sun_path)) return;
  std::memcpy(to.sun_path, path.data(), path.size());
  if (path[0] == '@') to.sun_path[0] = '\0';  // an abstract address
  auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  constexpr char kWords[] = "READY=1";
  auto sent = ::sendto(socket, kWords, sizeof(kWords) - 1, MSG_NOSIGNAL,
                       reinterpret_cast<const sockaddr*>(&to), length);
  if (sent < 0) log::warn("starter_not_told", {{"socket", path}, {"why", std::strerror(errno)}});
  if (socket >= 0) ::close(socket);
}

}  // namespace wm::proc
