#include "libwm/client/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace wm::client {

namespace {

constexpr std::size_t kReadBytes = 64 << 10;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Error gone(std::string_view what) {
  return fail(Code::Unavailable, std::string(what) + ": " + std::strerror(errno));
}

Result<Addresses> resolve(const wire::Endpoint& to) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  auto port = std::to_string(to.port);
  int rc = ::getaddrinfo(to.host.c_str(), port.c_str(), &hints, &found);
  if (rc != 0) return fail(Code::NotFound, "host '" + to.host + "': " + ::gai_strerror(rc));
  return Addresses(found);
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

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Socket> Socket::connect(const wire::Endpoint& to, TimePoint deadline) {
  auto attempt = [&](const sockaddr* address, socklen_t length) -> Result<Socket> {
    Socket socket(new_socket(address->sa_family));
    if (socket.fd_ < 0) return gone("cannot make a socket");
    if (!begin(socket.fd_, address, length)) return gone(to_string(to));
    WM_TRY(socket.await(POLLOUT, deadline));
    errno = outcome(socket.fd_);
    if (errno != 0) return gone(to_string(to));
    return socket;
  };
  if (to.is_local()) {
    auto address = unix_address(to.path);
    return attempt(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  WM_TRY(auto addresses, resolve(to));
  Result<Socket> socket = fail(Code::NotFound, "host '" + to.host + "' has no address");
  for (auto* a = addresses.get(); a && !socket; a = a->ai_next) {
    socket = attempt(a->ai_addr, a->ai_addrlen);
  }
  if (socket) tune(socket->fd_);
  return socket;
}

Result<void> Socket::await(short events, TimePoint deadline) const {
  for (;;) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() < 0) return fail(Code::Timeout, "no answer in time");
    pollfd wanted{fd_, events, 0};
    auto most = std::min<std::int64_t>(left.count(), 1 << 30);
    int n = ::poll(&wanted, 1, static_cast<int>(most));
    if (n > 0) return {};
    if (n < 0 && errno != EINTR) return gone("poll");
    if (n == 0 && left.count() == 0) return fail(Code::Timeout, "no answer in time");
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
      return gone("connection lost");
    }
  }
  return {};
}

Result<std::string> Socket::read(TimePoint deadline) {
  std::string bytes(kReadBytes, '\0');
  for (;;) {
    auto n = ::recv(fd_, bytes.data(), bytes.size(), 0);
    if (n > 0) {
      bytes.resize(static_cast<std::size_t>(n));
      return bytes;
    }
    if (n == 0) return fail(Code::Unavailable, "connection closed by the peer");
    if (errno == EAGAIN) WM_TRY(await(POLLIN, deadline));
    else if (errno != EINTR) return gone("connection lost");
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
