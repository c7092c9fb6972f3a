#include "libwm/proc/own_folders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libwm/proc/channel.h"
#include "libwm/proc/spawn.h"

namespace wm::proc {
namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

Error refused(const std::string& path, const std::string& why) {
  return fail(Code::Denied, "results folder " + path + " " + why);
}

/// In a folder that anybody may change without the sticky bit, what was checked can be replaced.
Result<Fd> open_root(const std::string& root) {
  Fd fd(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return system_error("results folder " + root);
  struct stat is {};
  if (::fstat(fd.get(), &is) != 0) return system_error("results folder " + root);
  bool shared = (is.st_mode & kOthersWrite) != 0 && is.st_uid != ::geteuid();
  if (shared && (is.st_mode & S_ISVTX) == 0)
    return refused(root, "may be changed by others: it needs the sticky bit, chmod 1777");
  return fd;
}

/// The folder `name` of `above`, made if it is missing. `path` is for the words.
Result<Fd> enter(const Fd& above, const std::string& name, const std::string& path) {
  if (::mkdirat(above.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
    return system_error("mkdir " + path);
  Fd fd(::openat(above.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && (errno == ENOTDIR || errno == ELOOP))
    return refused(path, "is a link or a file: remove it");
  struct stat is {};
  if (!fd || ::fstat(fd.get(), &is) != 0) return system_error("results folder " + path);
  if (is.st_uid != ::geteuid())
    return refused(path, "belongs to uid " + std::to_string(is.st_uid) +
                             ", not to the job's: an administrator has to remove it");
  if ((is.st_mode & kOthersWrite) != 0)
    return refused(path, "may be written by others: look what is in it, then chmod go-w");
  return fd;
}

}  // namespace

Result<void> make_own_folders(const std::string& root, const std::string& path) {
  WM_TRY(make_folders(root));
  WM_TRY(auto at, open_root(root));
  for (auto from = root.size(); from < path.size();) {
    auto end = std::min(path.find('/', from), path.size());
    auto name = path.substr(from, end - from);
    from = end + 1;
    if (name.empty()) continue;
    WM_TRY(at, enter(at, name, path.substr(0, end)));
  }
  return {};
}

}  // namespace wm::proc
