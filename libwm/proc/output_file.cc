#include "libwm/proc/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

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

Result<Fd> open_output(const launch::OutputFile& file, bool anew) {
  auto path = resolved_path(file);
  auto slash = path.rfind('/');
  if (file.make_folders && slash != path.npos) WM_TRY(make_folders(path.substr(0, slash)));
  if (file.path.ends_with('/')) ::mkdir(file.path.c_str(), 0700);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  Fd fd(::open(path.c_str(), file.overwrite && anew ? kFlags | O_TRUNC : kFlags, 0666));
  if (!fd) return system_error("output file " + path);
  return fd;
}

Result<void> make_outputs(const std::vector<launch::OutputFile>& files) {
  for (const auto& file : files)
    if (file.at_start && kind_of(resolved_path(file)) != S_IFIFO) WM_TRY(open_output(file, true));
  return {};
}

}  // namespace wm::proc
