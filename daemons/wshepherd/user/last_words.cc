#include "daemons/wshepherd/user/last_words.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libwm/launch/last_words.h"
#include "libwm/proc/output_file.h"

namespace wm::shepherd {
namespace {

/// The end of a plain file that was written at `since` or later, in whole seconds: not all file
/// systems count finer.
std::string end_of(const std::string& path, WallTime since) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat there {};
  if (!fd || ::fstat(fd.get(), &there) != 0 || !S_ISREG(there.st_mode)) return "";
  auto began = std::chrono::floor<std::chrono::seconds>(since).time_since_epoch().count();
  if (there.st_mtim.tv_sec < began) return "";
  constexpr off_t kMost = launch::kLastWords + 1;  // one more: whether something goes before
  std::string bytes(kMost, '\0');
  auto n = ::pread(fd.get(), bytes.data(), bytes.size(), std::max<off_t>(there.st_size - kMost, 0));
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return bytes;
}

bool write_whole(int to, const std::string& text) {
  return ::write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

int tell_last_words(const launch::TaskSpec& task, const launch::ExitRecord& record,
                    const std::string& host, int line_to, bool block) {
  auto bytes = end_of(proc::resolved_path(task.err.front()), record.started);
  bool all = write_whole(line_to, launch::last_line(bytes));
  auto text = block ? launch::failure_block(record, host, bytes) : "";
  for (const auto& file : task.last_words) {
    if (text.empty()) break;
    auto fd = proc::open_output(file, false);
    all = fd && write_whole(fd->get(), text) && all;  // at once: others write there, too
  }
  return all ? 0 : 1;
}

}  // namespace wm::shepherd
