#include "libwm/frames/blocking.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "libwm/frames/cutter.h"

namespace wm::frames {
namespace {

Result<void> write_all(int fd, const char* at, std::size_t size) {
  while (size > 0) {
    auto n = ::send(fd, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(Code::Unavailable, std::string("send: ") + std::strerror(errno));
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return {};
}

/// Reads up to `size` bytes; fewer only at the end of the stream.
std::size_t read_up_to(int fd, char* at, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    auto n = ::read(fd, at + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

}  // namespace

Result<void> write_frame(int fd, std::string_view bytes) {
  if (bytes.size() > kLongest)
    return fail(Code::Limit, "frame of " + std::to_string(bytes.size()) + " bytes");
  auto whole = frame(bytes);
  return write_all(fd, whole.data(), whole.size());
}

Result<std::optional<std::string>> read_frame(int fd) {
  std::array<char, kLengthBytes> head;
  auto got = read_up_to(fd, head.data(), head.size());
  if (got == 0) return std::optional<std::string>();
  if (got < head.size()) return fail(Code::Damaged, "damaged frame");
  auto size = length_at({head.data(), head.size()});
  if (size > kLongest) return fail(Code::Damaged, "damaged frame");
  std::string bytes(size, '\0');
  if (read_up_to(fd, bytes.data(), size) < size) return fail(Code::Damaged, "frame cut short");
  return std::optional(std::move(bytes));
}

}  // namespace wm::frames
