#include "libwm/proc/folder_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "libwm/files/fd.h"

namespace wm::proc {
namespace {

constexpr std::int64_t kBlock = 512, kLeast = 1024;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

/// Goes down from one folder.
class UseWalk {
 public:
  explicit UseWalk(Bytes enough) : enough_(enough) {}

  void folder(Fd fd, int depth) {
    struct stat own {};
    if (::fstat(fd.get(), &own) != 0) return;
    if (depth == 0) device_ = own.st_dev;
    if (own.st_dev != device_) return;
    DIR* names = ::fdopendir(fd.get());
    if (!names) return;
    (void)fd.release();  // closed with it
    while (use_.more == FolderUse::More::None) {
      const dirent* entry = ::readdir(names);
      if (!entry) break;
      bool self = std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0;
      if (!self) name(::dirfd(names), entry->d_name, depth);
    }
    ::closedir(names);
  }
  FolderUse use() const { return use_; }

 private:
  void name(int folder_fd, const char* called, int depth) {
    struct stat facts {};
    if (::fstatat(folder_fd, called, &facts, AT_SYMLINK_NOFOLLOW) != 0) return;
    bool is_folder = S_ISDIR(facts.st_mode);
    auto links =
        is_folder ? 1 : std::max<std::int64_t>(1, static_cast<std::int64_t>(facts.st_nlink));
    use_.size.value += std::max(kLeast, facts.st_blocks * kBlock / links);
    if (++use_.names > kMostNames) use_.more = FolderUse::More::Names;
    if (use_.size > enough_) use_.more = FolderUse::More::Size;
    if (!is_folder || use_.more != FolderUse::More::None) return;
    if (depth >= kDeepestFolder) {
      use_.more = FolderUse::More::Depth;
      return;
    }
    if (Fd below(::openat(folder_fd, called, kFolderFlags)); below)
      folder(std::move(below), depth + 1);
  }

  Bytes enough_;
  dev_t device_ = 0;
  FolderUse use_;
};

}  // namespace

FolderUse folder_use(const std::string& path, Bytes enough) {
  UseWalk walk(enough);
  if (Fd fd(::open(path.c_str(), kFolderFlags)); fd) walk.folder(std::move(fd), 0);
  return walk.use();
}

}  // namespace wm::proc
