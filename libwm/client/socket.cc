#include "libwm/client/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "libwm/base/clock.h"
#include "libwm/client/names.h"

namespace wm::client {

namespace {

constexpr std::size_t kReadBytes = 64 << 10;

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

Error gone(std::string_view what) {
  return fail(errno == ECONNREFUSED ? Code::Refused : Code::Unavailable,
              std::string(what) + ": " + std::strerror(errno));
}

Address to_address(const std::string& numeric, std::uint16_t port) {
  Address address{};
  if (::inet_pton(AF_INET, numeric.c_str(), &address.v4.sin_addr) == 1) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(port);
  } else {
    ::inet_pton(AF_INET6, numeric.c_str(), &address.v6.sin6_addr);
    address.v6.sin6_family = AF_INET6;
    address.v6.sin6_port = htons(port);
  }
  return address;
}

// A silent peer is noticed within half a minute, also during a reply that takes hours.
void tune(int fd) {
  auto set = [fd](int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

int new_socket(int family) {
  return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

// Starts connecting; what is not refused at once is decided by waiting until it is writable.
bool begin(int fd, const sockaddr* address, socklen_t length) {
  return ::connect(fd, address, length) == 0 || errno == EINPROGRESS;
}

int outcome(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

}  // namespace

Socket::Socket(Socket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), peer_(std::move(other.peer_)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(peer_, other.peer_);
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Socket> Socket::connect(const wire::Endpoint& to, TimePoint deadline) {
  auto attempt = [&](const sockaddr* address, socklen_t length) -> Result<Socket> {
    Socket socket(new_socket(address->sa_family), to_string(to));
    if (socket.fd_ < 0) return gone("cannot make a socket");
    if (!begin(socket.fd_, address, length)) return gone(socket.peer_);
    WM_TRY(socket.await(POLLOUT, deadline));
    errno = outcome(socket.fd_);
    if (errno != 0) return gone(socket.peer_);
    return socket;
  };
  if (to.is_local()) {
    auto address = unix_address(to.path);
    return attempt(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  WM_TRY(auto addresses, find_addresses(to.host));
  Result<Socket> socket = fail(Code::NotFound, "host '" + to.host + "' has no address");
  for (const auto& numeric : addresses) {
    auto address = to_address(numeric, to.port);
    socket = attempt(&address.any,
                     address.any.sa_family == AF_INET ? sizeof address.v4 : sizeof address.v6);
    if (socket) break;
  }
  if (socket) tune(socket->fd_);
  return socket;
}

Result<void> Socket::await(short events, TimePoint deadline) const {
  for (;;) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_now());
    if (left.count() < 0) return fail(Code::Timeout, peer_ + ": no answer in time");
    pollfd wanted{fd_, events, 0};
    auto most = std::min<std::int64_t>(left.count(), 1 << 30);
    int n = ::poll(&wanted, 1, static_cast<int>(most));
    if (n > 0) return {};
    if (n < 0 && errno != EINTR) return gone(peer_ + ": poll");
    if (n == 0 && left.count() == 0) return fail(Code::Timeout, peer_ + ": no answer in time");
  }
}

Result<void> Socket::write(std::string_view bytes, TimePoint deadline) {
  while (!bytes.empty()) {
    auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      WM_TRY(await(POLLOUT, deadline));
    } else if (errno != EINTR) {
      return gone(peer_ + ": connection lost");
    }
  }
  return {};
}

Result<std::string> Socket::read(TimePoint deadline) {
  char block[kReadBytes];
  for (;;) {
    auto n = ::recv(fd_, block, sizeof block, 0);
    if (n > 0) return std::string(block, static_cast<std::size_t>(n));
    if (n == 0) return fail(Code::Unavailable, peer_ + ": connection closed by the peer");
    if (errno == EAGAIN) WM_TRY(await(POLLIN, deadline));
    else if (errno != EINTR) return gone(peer_ + ": connection lost");
  }
}

std::optional<wire::LocalPeer> Socket::local_peer() const {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  ::getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &length);
  if (own.ss_family != AF_UNIX) return {};
  ucred peer{};
  length = sizeof peer;
  if (::getsockopt(fd_, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return {};
  return wire::LocalPeer{peer.uid, peer.gid, peer.pid};
}

}  // namespace wm::client
