#include "daemons/wshepherd/user/last_words.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libwm/launch/last_words.h"
#include "libwm/proc/output_file.h"

namespace wm::shepherd {
namespace {

/// Was the plain file written at `since` or later, in whole seconds? Not all file systems count
/// finer.
bool is_of(const struct stat& file, WallTime since) {
  auto began = std::chrono::floor<std::chrono::seconds>(since).time_since_epoch().count();
  return S_ISREG(file.st_mode) && file.st_mtim.tv_sec >= began;
}

std::string read_at(const Fd& fd, off_t offset) {
  constexpr std::size_t kMost = launch::kReasonBytes + 1;  // one more: whether there is more
  std::string bytes(kMost, '\0');
  auto n = ::pread(fd.get(), bytes.data(), bytes.size(), offset);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return bytes;
}

/// The end of a plain file.
std::string end_of(const std::string& path, WallTime since) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat there {};
  if (!fd || ::fstat(fd.get(), &there) != 0 || !is_of(there, since)) return "";
  constexpr off_t kMost = launch::kReasonBytes + 1;
  return read_at(fd, std::max<off_t>(there.st_size - kMost, 0));
}

/// Where the task's variables say that its error file is.
std::string error_file_of(const launch::TaskSpec& task) {
  constexpr std::string_view kName = "TORCHELASTIC_ERROR_FILE=";
  for (const auto& entry : task.env)
    if (entry.starts_with(kName)) return entry.substr(kName.size());
  return "";
}

/// A small plain file of the user's own; else nothing.
std::string own_small_file(const std::string& path, WallTime since) {
  if (path.empty()) return "";
  Fd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat there {};
  if (!fd || ::fstat(fd.get(), &there) != 0 || !is_of(there, since)) return "";
  if (there.st_uid != ::geteuid()) return "";
  auto bytes = read_at(fd, 0);
  return bytes.size() > launch::kReasonBytes ? "" : bytes;
}

bool write_whole(int to, const std::string& text) {
  return ::write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

int tell_last_words(const launch::TaskSpec& task, const launch::ExitRecord& record,
                    const std::string& host, int line_to, bool block) {
  bool merged = task.err.empty();
  const auto& file = merged ? task.out.front() : task.err.front();
  auto bytes = end_of(proc::resolved_path(file), record.started);
  auto said = launch::error_file_line(own_small_file(error_file_of(task), record.started));
  auto line = said.empty() ? launch::failure_line(bytes) : said;
  auto intro = !said.empty() ? "its error file says: "
               : merged      ? "its output ended: "
                             : "its stderr ended: ";
  bool all = line.empty() || write_whole(line_to, intro + line);
  constexpr auto kBlock = launch::kLastWords + 1;  // one more: whether something goes before
  auto end = std::string_view(bytes).substr(bytes.size() - std::min(bytes.size(), kBlock));
  auto text = block ? launch::failure_block(record, host, end) : "";
  for (const auto& file : task.last_words) {
    if (text.empty()) break;
    auto fd = proc::open_output(file, false);
    all = fd && write_whole(fd->get(), text) && all;  // at once: others write there, too
  }
  return all ? 0 : 1;
}

}  // namespace wm::shepherd
