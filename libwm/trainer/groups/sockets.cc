#include "libwm/trainer/groups/sockets.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace wm::groups {
namespace {

constexpr std::size_t kRecord = sizeof(sockaddr_storage) + sizeof(ssize_t);

std::optional<End> end_of(const sockaddr_storage& from) {
  if (from.ss_family == AF_INET) {
    sockaddr_in at{};
    std::memcpy(&at, &from, sizeof at);
    return End{{reinterpret_cast<const char*>(&at.sin_addr), sizeof at.sin_addr}, at.sin_port};
  }
  if (from.ss_family == AF_INET6) {
    sockaddr_in6 at{};
    std::memcpy(&at, &from, sizeof at);
    return End{{reinterpret_cast<const char*>(&at.sin6_addr), sizeof at.sin6_addr}, at.sin6_port};
  }
  return std::nullopt;
}

// A second descriptor, so that the number cannot become another file between two looks.
class Borrowed {
 public:
  explicit Borrowed(int number) : fd_(::dup(number)) {
    struct stat about {};
    if (fd_ >= 0 && ::fstat(fd_, &about) == 0 && S_ISSOCK(about.st_mode)) inode_ = about.st_ino;
  }
  ~Borrowed() {
    if (fd_ >= 0) ::close(fd_);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  int fd() const { return fd_; }
  ino_t inode() const { return inode_; }  // 0: no socket

 private:
  int fd_;
  ino_t inode_ = 0;
};

bool touches(int fd, const std::set<End>& ends) {
  sockaddr_storage here{}, there{};
  socklen_t size = sizeof here, far_size = sizeof there;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&here), &size) != 0) return false;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&there), &far_size) != 0) return false;
  auto own = end_of(here), peer = end_of(there);
  return (own && ends.contains(*own)) || (peer && ends.contains(*peer));
}

}  // namespace

std::set<End> published(std::span<const char> text) {
  std::set<End> found;
  for (std::size_t at = 0; at + kRecord <= text.size(); at += kRecord) {
    sockaddr_storage address{};
    std::memcpy(&address, text.data() + at, sizeof address);
    if (auto end = end_of(address)) found.insert(*end);
  }
  return found;
}

std::vector<Connection> find(const std::set<End>& ends) {
  std::vector<Connection> found;
  DIR* folder = ::opendir("/proc/self/fd");
  if (!folder) return found;
  while (auto* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    int number = std::atoi(entry->d_name);
    Borrowed borrowed(number);
    if (borrowed.inode() && touches(borrowed.fd(), ends))
      found.push_back({number, borrowed.inode()});
  }
  ::closedir(folder);
  return found;
}

void shut(std::span<const Connection> connections, bool write_only) {
  for (const auto& connection : connections) {
    Borrowed borrowed(connection.fd);
    if (borrowed.inode() == connection.inode)
      ::shutdown(borrowed.fd(), write_only ? SHUT_WR : SHUT_RDWR);
  }
}

bool all_ended(std::span<const Connection> connections) {
  for (const auto& connection : connections) {
    Borrowed borrowed(connection.fd);
    if (borrowed.inode() != connection.inode) continue;
    char byte = 0;
    auto n = ::recv(borrowed.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return false;
  }
  return true;
}

}  // namespace wm::groups
