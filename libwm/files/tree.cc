#include "libwm/files/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "libwm/base/excerpt.h"
#include "libwm/files/whole_file.h"

namespace wm {
namespace {

constexpr int kTreeFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
/// O_NONBLOCK: a fifo would have us wait for a writer.
constexpr int kTreeFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr mode_t kTreeMode = 0700;

/// Where a name stands: its folder, open.
struct TreePlace {
  Fd folder;
  std::string name, path;
};

Error not_opened(const std::string& path) {
  if (errno == ENOENT) return fail(Code::NotFound, path + ": no such file");
  if (errno == ELOOP || errno == ENOTDIR)
    return fail(Code::Denied, path + ": a link or a file is in the way");
  if (errno == ENAMETOOLONG) return fail(Code::BadArgument, path + ": the name is too long");
  return system_error(path);
}

Result<std::vector<std::string>> tree_names(std::string_view path) {
  auto bad = fail(Code::BadArgument, "'" + excerpt(path, 200) + "' is no path below a folder");
  if (path.starts_with('/') || path.find('\0') != path.npos) return bad;
  std::vector<std::string> names;
  while (!path.empty()) {
    auto name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (name == "..") return bad;
    if (!name.empty() && name != ".") names.emplace_back(name);
  }
  return names;
}

Result<Fd> enter_step(int above, const std::string& name, const std::string& path, bool make) {
  if (make && ::mkdirat(above, name.c_str(), kTreeMode) != 0 && errno != EEXIST)
    return not_opened(path);
  Fd fd(::openat(above, name.c_str(), kTreeFolder));
  if (!fd) return not_opened(path);
  return fd;
}

Result<Fd> enter_tree(int top, const std::string& top_path, const std::vector<std::string>& names,
                      bool make) {
  Fd at(::fcntl(top, F_DUPFD_CLOEXEC, 0));
  if (!at) return system_error(top_path);
  auto path = top_path;
  for (const auto& name : names) {
    path += "/" + name;
    WM_TRY(at, enter_step(at.get(), name, path, make));
  }
  return at;
}

Result<TreePlace> tree_place(int top, const std::string& top_path, std::string_view path,
                             bool make) {
  WM_TRY(auto names, tree_names(path));
  if (names.empty()) return fail(Code::BadArgument, "a name in " + top_path + " is wanted");
  TreePlace place;
  place.name = names.back();
  place.path = top_path + "/" + std::string(path);
  names.pop_back();
  WM_TRY(place.folder, enter_tree(top, top_path, names, make));
  return place;
}

/// What is to have a new name has no old one. A folder stays.
Result<TreePlace> free_tree_place(int top, const std::string& top_path, std::string_view path) {
  WM_TRY(auto place, tree_place(top, top_path, path, true));
  if (::unlinkat(place.folder.get(), place.name.c_str(), 0) == 0 || errno == ENOENT) return place;
  if (errno == EISDIR) return fail(Code::Denied, place.path + ": a folder is in the way");
  return not_opened(place.path);
}

Result<std::vector<std::string>> tree_entries(int folder, const std::string& path) {
  Fd own(::openat(folder, ".", kTreeFolder));  // a reading of its own, from the beginning
  if (!own) return system_error(path);
  std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(own.get()), ::closedir);
  if (!entries) return system_error(path);
  own.release();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// One walk.
class Walk {
 public:
  Walk(const std::string& top, const TreeBut& but,
       const std::function<Result<void>(const TreeFile&)>& visit)
      : top_(top), but_(but), visit_(visit) {}

  Result<void> folder(int fd, const std::string& path, int depth) {
    if (depth > Tree::kDeepest)
      return fail(Code::Limit, top_ + ": folders are nested more than " +
                                   std::to_string(Tree::kDeepest) + " deep");
    WM_TRY(auto names, tree_entries(fd, top_ + "/" + path));
    for (const auto& name : names) {
      auto here = path.empty() ? name : path + "/" + name;
      bool left_out = std::find(but_.paths.begin(), but_.paths.end(), here) != but_.paths.end();
      if (!left_out) WM_TRY(entry(fd, name, here, depth));
    }
    return {};
  }

 private:
  Result<void> entry(int above, const std::string& name, const std::string& path, int depth) {
    struct stat facts {};
    if (::fstatat(above, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return passed_over(path);
    bool is_folder = S_ISDIR(facts.st_mode);
    if (!is_folder && !S_ISREG(facts.st_mode)) return {};
    Fd fd(::openat(above, name.c_str(), is_folder ? kTreeFolder : kTreeFile));
    if (!fd || ::fstat(fd.get(), &facts) != 0) return passed_over(path);
    if (is_folder) return folder(fd.get(), path, depth + 1);
    if (!S_ISREG(facts.st_mode)) return {};  // it was another before
    return visit_({path, fd.get(), facts});
  }

  /// It went meanwhile, or became a link.
  Result<void> passed_over(const std::string& path) const {
    if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR) return {};
    if (errno == EACCES && but_.unreadable) return {};
    return system_error(top_ + "/" + path);
  }

  const std::string& top_;
  const TreeBut& but_;
  const std::function<Result<void>(const TreeFile&)>& visit_;
};

}  // namespace

Result<Tree> Tree::open(const std::string& path) {
  Fd fd(::open(path.c_str(), kTreeFolder));
  if (!fd) return not_opened(path);
  return Tree(std::move(fd), path);
}

Result<Fd> Tree::make_file(std::string_view path, mode_t mode) const {
  WM_TRY(auto place, free_tree_place(fd_.get(), path_, path));
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Fd fd(::openat(place.folder.get(), place.name.c_str(), kNew, mode));
  if (!fd || ::fchmod(fd.get(), mode) != 0) return system_error(place.path);
  return fd;
}

Result<void> Tree::make_folder(std::string_view path, mode_t mode) const {
  WM_TRY(auto names, tree_names(path));
  if (names.empty()) return {};
  WM_TRY(auto folder, enter_tree(fd_.get(), path_, names, true));
  if (::fchmod(folder.get(), mode) != 0) return system_error(path_ + "/" + std::string(path));
  return {};
}

Result<void> Tree::make_link(std::string_view path, const std::string& target) const {
  WM_TRY(auto place, free_tree_place(fd_.get(), path_, path));
  if (::symlinkat(target.c_str(), place.folder.get(), place.name.c_str()) != 0)
    return system_error(place.path);
  return {};
}

// A link would lead elsewhere from another folder.
Result<void> Tree::make_name(std::string_view path, std::string_view old) const {
  WM_TRY(auto from, tree_place(fd_.get(), path_, old, false));
  struct stat facts {};
  if (::fstatat(from.folder.get(), from.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
    return not_opened(from.path);
  if (!S_ISREG(facts.st_mode)) return fail(Code::Denied, from.path + ": is no regular file");
  WM_TRY(auto to, tree_place(fd_.get(), path_, path, true));
  if (from.path == to.path) return {};
  if (::unlinkat(to.folder.get(), to.name.c_str(), 0) != 0 && errno != ENOENT)
    return system_error(to.path);
  if (::linkat(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str(), 0) != 0)
    return system_error(to.path);
  return {};
}

Result<Fd> Tree::file(std::string_view path) const {
  WM_TRY(auto place, tree_place(fd_.get(), path_, path, false));
  Fd fd(::openat(place.folder.get(), place.name.c_str(), kTreeFile));
  struct stat facts {};
  if (!fd || ::fstat(fd.get(), &facts) != 0) return not_opened(place.path);
  if (!S_ISREG(facts.st_mode)) return fail(Code::Denied, place.path + ": is no regular file");
  return fd;
}

Result<std::string> Tree::read(std::string_view path, Bytes most) const {
  WM_TRY(auto place, tree_place(fd_.get(), path_, path, false));
  return read_file_at(place.folder.get(), place.name, most, place.path);
}

Result<void> Tree::walk(const TreeBut& but,
                        const std::function<Result<void>(const TreeFile&)>& visit) const {
  return Walk(path_, but, visit).folder(fd_.get(), "", 0);
}

}  // namespace wm
