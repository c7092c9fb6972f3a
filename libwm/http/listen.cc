#include "libwm/http/listen.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace wm::http {
namespace {

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return fail(Code::System, path + ": too long for a socket");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* any(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

Result<int> listen_at(const std::string& path, mode_t mode) {
  WM_TRY(auto address, address_of(path));
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(Code::System, std::string("socket: ") + std::strerror(errno));
  ::unlink(path.c_str());
  auto old = ::umask(0777 & ~mode);
  bool bound = ::bind(fd, any(address), sizeof address) == 0;
  ::umask(old);
  if (bound && ::listen(fd, 256) == 0) return fd;
  auto why = path + ": " + std::strerror(errno);
  ::close(fd);
  return fail(Code::System, why);
}

Result<int> connect_to(const std::string& path) {
  WM_TRY(auto address, address_of(path));
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(Code::System, std::string("socket: ") + std::strerror(errno));
  if (::connect(fd, any(address), sizeof address) == 0) return fd;
  auto why = path + ": " + std::strerror(errno);
  ::close(fd);
  return fail(Code::Unavailable, why);
}

bool is_answered(const std::string& path) {
  auto fd = connect_to(path);
  if (fd) ::close(*fd);
  return fd.has_value();
}

}  // namespace wm::http
