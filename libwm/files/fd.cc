#include "libwm/files/fd.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace wm {

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Error system_error(std::string_view what) {
  return Error{Code::System, std::string(what) + ": " + std::strerror(errno)};
}

Result<void> write_all(int fd, std::string_view bytes, std::string_view what) {
  while (!bytes.empty()) {
    auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;  // a device that takes nothing would be asked for ever
    if (written <= 0) return system_error(what);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace wm
