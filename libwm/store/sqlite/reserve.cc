// Role: see reserve.h.
#include "libwm/store/sqlite/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace wm::store {

Result<bool> Reserve::make(bool spare) {
  struct stat st {};
  if (::stat(path_.c_str(), &st) == 0 && st.st_size >= size_.value) return true;
  struct statvfs fs {};
  std::string dir = path_.substr(0, path_.find_last_of('/'));
  if (spare && ::statvfs(dir.c_str(), &fs) == 0) {
    auto free = static_cast<std::int64_t>(fs.f_bavail * fs.f_frsize);
    if (free / 2 < size_.value) return false;
  }
  int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  int err = fd < 0 ? errno : ::posix_fallocate(fd, 0, size_.value);
  if (fd >= 0) ::close(fd);
  if (err == 0) return true;
  release();
  if (err == ENOSPC || err == EDQUOT) return false;
  return fail(Code::System,
              path_ + ": cannot reserve " + format_bytes(size_) + ": " + std::strerror(err));
}

bool Reserve::release() { return ::unlink(path_.c_str()) == 0; }

}  // namespace wm::store
