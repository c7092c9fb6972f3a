#include "daemons/wagent/output/shared_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "libwm/proc/output_file.h"

namespace wm::wagent {

SharedFile::SharedFile(launch::OutputFile file) : file_(std::move(file)) {
  file_.overwrite = false;  // if it is to be made anew, that was done before the first task ran
}

void SharedFile::open() {
  if (std::exchange(opened_, true)) return;
  struct stat there {};
  bool pipe = ::stat(proc::resolved_path(file_).c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
  if (pipe) return;  // opening it would wait for its reader
  if (auto made = proc::open_output(file_, false)) fd_ = *std::move(made);
}

std::string_view SharedFile::what_fits(std::string_view lines) const {
  struct stat there {};
  if (file_.limit_bytes == 0 || ::fstat(fd_.get(), &there) != 0) return lines;
  auto used = std::min(static_cast<std::uint64_t>(there.st_size), file_.limit_bytes);
  return lines.substr(0, file_.limit_bytes - used);
}

void SharedFile::write(std::string_view lines) {
  if (lines.empty()) return;
  open();
  lost_ = lost_ || !fd_;
  if (!fd_) return;
  for (auto rest = what_fits(lines); !rest.empty();) {
    auto n = ::write(fd_.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    lost_ = lost_ || n <= 0;
    if (n <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace wm::wagent
