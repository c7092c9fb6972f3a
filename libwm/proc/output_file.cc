#include "libwm/proc/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "libwm/proc/spawn.h"

namespace wm::proc {
namespace {

/// S_IFDIR, S_IFIFO …; 0: nothing is there.
mode_t kind_of(const std::string& path) {
  struct stat there {};
  return ::stat(path.c_str(), &there) == 0 ? there.st_mode & S_IFMT : 0;
}

}  // namespace

std::string resolved_path(const launch::OutputFile& file) {
  bool slash = file.path.ends_with('/');
  if (file.name.empty() || (!slash && kind_of(file.path) != S_IFDIR)) return file.path;
  return file.path + (slash ? "" : "/") + file.name;
}

namespace {

Result<Fd> open_file(const std::string& path, int flags);

/// Behind a link that root or the job's user made; anybody else's may lead to any file of the
/// user's. What our own link says is read from the link that was looked at, not from its name again.
Result<Fd> open_behind(const std::string& path, int flags, int links) {
  constexpr int kMostLinks = 40;  // as the kernel's
  Fd link(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat is {};
  if (!link || ::fstat(link.get(), &is) != 0) return system_error("output file " + path);
  if (is.st_uid != 0 && is.st_uid != ::geteuid())
    return fail(Code::Denied, "output file " + path + " is a link that uid " +
                                  std::to_string(is.st_uid) + " made: remove it");
  std::array<char, 4096> text{};
  auto size = ::readlinkat(link.get(), "", text.data(), text.size());
  if (links >= kMostLinks) errno = ELOOP;
  if (size < 0 || links >= kMostLinks) return system_error("output file " + path);
  std::string target(text.data(), static_cast<std::size_t>(size));
  // /dev/stdout and its like: what stands there is not where it leads.
  if (is.st_uid == 0 && target.starts_with("/proc/self/fd")) return open_file(target, flags);
  auto slash = path.rfind('/');
  if (!target.starts_with('/') && slash != path.npos) target = path.substr(0, slash + 1) + target;
  Fd fd(::open(target.c_str(), flags | O_NOFOLLOW, 0666));
  if (!fd && errno == ELOOP) return open_behind(target, flags, links + 1);
  if (!fd) return system_error("output file " + path);
  return fd;
}

Result<Fd> open_file(const std::string& path, int flags) {
  Fd fd(::open(path.c_str(), flags, 0666));
  if (!fd) return system_error("output file " + path);
  return fd;
}

}  // namespace

Result<Fd> open_output(const launch::OutputFile& file, bool anew) {
  auto path = resolved_path(file);
  auto slash = path.rfind('/');
  if (file.make_folders && slash != path.npos) WM_TRY(make_folders(path.substr(0, slash)));
  if (file.path.ends_with('/')) ::mkdir(file.path.c_str(), 0700);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  auto flags = file.overwrite && anew ? kFlags | O_TRUNC : kFlags;
  Fd fd(::open(path.c_str(), flags | O_NOFOLLOW, 0666));
  if (fd) return fd;
  if (errno != ELOOP) return system_error("output file " + path);
  return open_behind(path, flags, 0);
}

Result<void> make_outputs(const std::vector<launch::OutputFile>& files) {
  for (const auto& file : files)
    if (file.at_start && kind_of(resolved_path(file)) != S_IFIFO) WM_TRY(open_output(file, true));
  return {};
}

}  // namespace wm::proc
