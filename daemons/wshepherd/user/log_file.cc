#include "daemons/wshepherd/user/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace wm::shepherd {

Fd open_log(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Fd fd(::open(path.c_str(), kFlags, 0600));
  struct stat file {};
  bool plain = fd && ::fstat(fd.get(), &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 1;
  if (!plain) fd.reset();
  return fd;
}

}  // namespace wm::shepherd
