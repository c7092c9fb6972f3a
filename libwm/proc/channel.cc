#include "libwm/proc/channel.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace wm::proc {
namespace {

/// The address of `path`. @errors BadArgument: does not fit
Result<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return fail(Code::BadArgument, "socket path '" + path + "' is longer than 107 bytes");
  path.copy(address.sun_path, path.size());
  return address;
}

}  // namespace

Result<std::pair<Fd, Fd>> socket_pair() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    return system_error("socketpair");
  return std::pair(Fd(fds[0]), Fd(fds[1]));
}

Result<Fd> listen_unix(const std::string& path) {
  WM_TRY(auto address, unix_address(path));
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return system_error("socket");
  ::unlink(path.c_str());
  auto old = ::umask(0177);
  int bound = ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
  ::umask(old);
  if (bound != 0 || ::listen(fd.get(), 16) != 0) return system_error("listen on " + path);
  return fd;
}

Result<Fd> connect_unix(const std::string& path) {
  WM_TRY(auto address, unix_address(path));
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error("socket");
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
  auto code = errno == ECONNREFUSED || errno == ENOENT ? Code::Unavailable : Code::System;
  return fail(code, "connect to " + path + ": " + std::strerror(errno));
}

Result<Peer> peer_of(int fd) {
  ucred cred{};
  socklen_t size = sizeof(cred);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) != 0)
    return system_error("SO_PEERCRED");
  return Peer{cred.uid, cred.pid};
}

Result<void> send_fd(int zygote, int fd) {
  char byte = 1;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  auto* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &fd, sizeof(int));
  while (::sendmsg(zygote, &message, MSG_NOSIGNAL) != 1) {
    if (errno == EINTR) continue;
    return fail(Code::Unavailable, std::string("zygote: ") + std::strerror(errno));
  }
  return {};
}

Result<std::optional<Fd>> receive_fd(int zygote) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  ssize_t n = 0;
  do n = ::recvmsg(zygote, &message, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n <= 0) return std::optional<Fd>();
  auto* head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS)
    return fail(Code::Damaged, "request without a descriptor");
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(head), sizeof(int));
  return std::optional(Fd(fd));
}

}  // namespace wm::proc
