#include "libwm/files/own_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <optional>

#include "libwm/files/whole_file.h"

namespace wm {
namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
/// One that is passed through need not be readable.
constexpr int kParent = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
/// As the kernel's. @source path_resolution(7)
constexpr int kMostLinks = 40;

Error refused(const std::string& path, const std::string& why) {
  return fail(Code::Denied, "folder " + path + " " + why);
}

std::deque<std::string> names_in(std::string_view path) {
  std::deque<std::string> names;
  while (!path.empty()) {
    auto name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (!name.empty() && name != ".") names.emplace_back(name);
  }
  return names;
}

/// Of a folder on the way: nobody but root and the owner can put something else in its place.
Result<void> check_parent(int fd, const std::string& path, uid_t owner) {
  struct stat is {};
  if (::fstat(fd, &is) != 0) return system_error(path);
  if (is.st_uid != 0 && is.st_uid != owner)
    return refused(path, "belongs to uid " + std::to_string(is.st_uid) +
                             ", which can change what is below it");
  mode_t others = is.st_uid == owner ? S_IWOTH : kOthersWrite;  // a group of the owner's own
  if ((is.st_mode & others) != 0 && (is.st_mode & S_ISVTX) == 0)
    return refused(path,
                   "may be changed by others: it needs the sticky bit, chmod 1777, or chmod o-w");
  return {};
}

/// Of the folder itself.
Result<void> check_own(int fd, const std::string& path, uid_t owner) {
  struct stat is {};
  if (::fstat(fd, &is) != 0) return system_error(path);
  if (is.st_uid != owner)
    return refused(path, "belongs to uid " + std::to_string(is.st_uid) + ", not to uid " +
                             std::to_string(owner) + ": an administrator has to remove it");
  if ((is.st_mode & kOthersWrite) != 0)
    return refused(path, "may be written by others: look what is in it, then chmod go-w");
  return {};
}

/// Where a link in `above` leads, if root or the owner made it.
Result<std::string> target_of(int above, const std::string& name, const std::string& path,
                              uid_t owner) {
  struct stat is {};
  if (::fstatat(above, name.c_str(), &is, AT_SYMLINK_NOFOLLOW) != 0) return system_error(path);
  if (is.st_uid != 0 && is.st_uid != owner)
    return refused(path, "is a link that uid " + std::to_string(is.st_uid) + " made");
  std::array<char, 4096> target{};
  auto size = ::readlinkat(above, name.c_str(), target.data(), target.size());
  if (size < 0) return system_error(path);
  return std::string(target.data(), static_cast<std::size_t>(size));
}

Error no_folder(const std::string& path) {
  if (errno == ENOENT) return fail(Code::NotFound, "folder " + path + " does not exist");
  if (errno == ENOTDIR || errno == ELOOP) return refused(path, "is a link or a file: remove it");
  return system_error("folder " + path);
}

/// A folder that has others' in it, checked from the root on.
Result<Fd> open_parent(const std::string& path, uid_t owner) {
  Fd at(::open("/", kParent));
  if (!at) return system_error("/");
  std::string so_far;
  int links = 0;
  for (auto names = names_in(path); !names.empty();) {
    auto name = names.front();
    names.pop_front();
    auto here = so_far + "/" + name;
    Fd next(::openat(at.get(), name.c_str(), kParent));
    if (!next && (errno == ELOOP || errno == ENOTDIR) && ++links <= kMostLinks) {
      WM_TRY(auto target, target_of(at.get(), name, here, owner));
      auto more = names_in(target);
      names.insert(names.begin(), more.begin(), more.end());
      if (target.starts_with('/')) at.reset(::open("/", kParent)), so_far.clear();
      continue;
    }
    if (!next) return no_folder(here);
    WM_TRY(check_parent(next.get(), here, owner));
    at = std::move(next);
    so_far = here;
  }
  return at;
}

Result<std::string> single_name(std::string_view name) {
  bool bad = name.empty() || name == "." || name == ".." || name.find('/') != name.npos ||
             name.find('\0') != name.npos;
  if (bad) return fail(Code::BadArgument, "'" + std::string(name) + "' is no name of a file");
  return std::string(name);
}

/// The owner's folder `name` in `above`.
Result<Fd> enter(int above, const std::string& name, const std::string& path, uid_t owner,
                 std::optional<mode_t> make) {
  if (make && ::mkdirat(above, name.c_str(), *make) != 0 && errno != EEXIST) {
    if (errno != EACCES) return system_error("mkdir " + path);
    return fail(Code::Denied, "folder " + path +
                                  " is not there and may not be made: an administrator makes it, "
                                  "of results by badmin mkresults");
  }
  Fd fd(::openat(above, name.c_str(), kFolder));
  if (!fd) return no_folder(path);
  WM_TRY(check_own(fd.get(), path, owner));
  return fd;
}

/// Everything in an open folder, which is closed.
Result<void> empty_folder(Fd folder, const std::string& path);

Result<void> remove_at(int folder, const std::string& name, const std::string& path) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return system_error("remove " + path);
  Fd fd(::openat(folder, name.c_str(), kFolder));
  if (!fd) return system_error("remove " + path);
  WM_TRY(empty_folder(std::move(fd), path));
  if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0) return system_error("remove " + path);
  return {};
}

Result<void> empty_folder(Fd folder, const std::string& path) {
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.get()), ::closedir);
  if (!entries) return system_error("remove " + path);
  int fd = folder.release();
  while (const dirent* entry = ::readdir(entries.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") WM_TRY(remove_at(fd, name, path + "/" + name));
  }
  return {};
}

}  // namespace

Result<OwnFolder> OwnFolder::open(const std::string& path, uid_t owner) {
  if (!path.starts_with('/'))
    return fail(Code::BadArgument, "folder '" + path + "' is no absolute path");
  auto names = names_in(path);
  if (names.empty()) return refused("/", "is no account's");
  auto name = names.back();
  if (name == "..") return fail(Code::BadArgument, "folder '" + path + "' ends with ..");
  auto above = path.substr(0, path.rfind(name));
  WM_TRY(auto parent, open_parent(above, owner));
  WM_TRY(auto fd, enter(parent.get(), name, path, owner, {}));
  return OwnFolder(std::move(fd), path, owner);
}

Result<OwnFolder> OwnFolder::make(const std::string& shared, const std::string& path, uid_t owner) {
  if (!path.starts_with(shared + "/"))
    return fail(Code::BadArgument, "folder " + path + " does not lie below " + shared);
  WM_TRY(auto at, open_parent(shared, owner));
  auto so_far = shared;
  for (const auto& name : names_in(path.substr(shared.size()))) {
    mode_t mode = so_far == shared ? 0700 : 0755;
    so_far += "/" + name;
    WM_TRY(single_name(name));
    WM_TRY(at, enter(at.get(), name, so_far, owner, mode));
  }
  return OwnFolder(std::move(at), so_far, owner);
}

// One that is root's own was half given by a call that was interrupted: its owner has put nothing
// into it yet, and root nothing ever.
Result<OwnFolder> OwnFolder::give(const std::string& shared, const std::string& name, uid_t owner) {
  WM_TRY(auto word, single_name(name));
  WM_TRY(auto above, open_parent(shared, owner));
  auto path = shared + "/" + word;
  if (::mkdirat(above.get(), word.c_str(), 0700) != 0 && errno != EEXIST)
    return system_error("mkdir " + path);
  Fd fd(::openat(above.get(), word.c_str(), kFolder));
  struct stat is {};
  if (!fd) return no_folder(path);
  if (::fstat(fd.get(), &is) != 0) return system_error(path);
  bool half_given = is.st_uid == 0 && owner != 0 && (is.st_mode & 07777) == 0700;
  if (half_given && ::fchown(fd.get(), owner, static_cast<gid_t>(-1)) != 0)
    return system_error(path);
  WM_TRY(check_own(fd.get(), path, owner));
  return OwnFolder(std::move(fd), path, owner);
}

Result<OwnFolder> OwnFolder::give_open(const std::string& shared, const std::string& name,
                                       uid_t owner) {
  auto open = shared + "/" + kOpenFolders;
  WM_TRY(auto above, open_parent(shared, 0));
  // Whatever the umask is: those whom something is shared with go through it.
  bool made = ::mkdirat(above.get(), kOpenFolders, 0755) == 0;
  if (!made && errno != EEXIST) return system_error("mkdir " + open);
  if (made && ::chmod(open.c_str(), 0755) != 0) return system_error(open);
  return give(open, name, owner);
}

Result<OwnFolder> OwnFolder::sub(std::string_view name, bool make) const {
  WM_TRY(auto word, single_name(name));
  auto path = path_ + "/" + word;
  auto mode = make ? std::optional<mode_t>(0700) : std::nullopt;
  WM_TRY(auto fd, enter(fd_.get(), word, path, owner_, mode));
  return OwnFolder(std::move(fd), path, owner_);
}

Result<Fd> OwnFolder::file(std::string_view name, int flags, mode_t mode) const {
  WM_TRY(auto word, single_name(name));
  auto path = path_ + "/" + word;
  Fd fd(::openat(fd_.get(), word.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode));
  if (!fd && errno == ENOENT) return fail(Code::NotFound, path + ": no such file");
  if (!fd && errno == ELOOP) return fail(Code::Denied, path + ": is a link");
  struct stat is {};
  if (!fd || ::fstat(fd.get(), &is) != 0) return system_error(path);
  if (!S_ISREG(is.st_mode)) return fail(Code::Denied, path + ": is no regular file");
  return fd;
}

Result<std::string> OwnFolder::read(std::string_view name, Bytes most) const {
  WM_TRY(auto word, single_name(name));
  return read_file_at(fd_.get(), word, most, path_ + "/" + word);
}

Result<void> OwnFolder::replace(std::string_view name, std::string_view text) const {
  WM_TRY(auto word, single_name(name));
  return replace_file_at(fd_.get(), word, text, 0600, path_ + "/" + word);
}

Result<void> OwnFolder::remove(std::string_view name) const {
  WM_TRY(auto word, single_name(name));
  return remove_at(fd_.get(), word, path_ + "/" + word);
}

}  // namespace wm
