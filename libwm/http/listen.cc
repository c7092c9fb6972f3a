#include "libwm/http/listen.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "libwm/files/fd.h"

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

// Zero: as long as it takes.
void set_send_limit(int fd, Duration limit) {
  auto us = std::chrono::duration_cast<std::chrono::microseconds>(limit).count();
  timeval value{static_cast<time_t>(us / 1000000), static_cast<suseconds_t>(us % 1000000)};
  (void)::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
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

// connect(2) of a unix socket waits for room in the peer's queue, no longer than a send may.
Result<int> connect_to(const std::string& path, Duration limit) {
  WM_TRY(auto address, address_of(path));
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return fail(Code::System, std::string("socket: ") + std::strerror(errno));
  set_send_limit(fd.get(), limit);
  bool there = ::connect(fd.get(), any(address), sizeof address) == 0;
  bool late = !there && errno == EAGAIN;
  if (late) return fail(Code::Timeout, path + ": who listens there accepts nothing");
  if (!there) return fail(Code::Unavailable, path + ": " + std::strerror(errno));
  set_send_limit(fd.get(), Duration::zero());
  return fd.release();
}

bool has_hung_up(int fd) {
  pollfd state{fd, POLLRDHUP, 0};
  return ::poll(&state, 1, 0) > 0;
}

bool is_answered(const std::string& path) {
  auto address = address_of(path);
  if (!address) return false;
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return fd && (::connect(fd.get(), any(*address), sizeof *address) == 0 || errno == EAGAIN);
}

}  // namespace wm::http
