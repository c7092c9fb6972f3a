#include "libwm/proc/proc_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

#include "libwm/proc/channel.h"

namespace wm::proc {

std::string read_whole(const std::string& path) {
  std::string bytes;
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return bytes;
  char part[4096];
  for (ssize_t n = 0; (n = ::read(fd.get(), part, sizeof(part))) > 0;)
    bytes.append(part, static_cast<std::size_t>(n));
  return bytes;
}

std::string proc_path(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

std::string_view stat_words(const std::string& text) {
  auto end = text.rfind(") ");
  return end == text.npos ? std::string_view() : std::string_view(text).substr(end + 2);
}

std::uint64_t stat_number(std::string_view words, int n) {
  for (; n > 0; --n) {
    auto blank = words.find(' ');
    if (blank == words.npos) return 0;
    words.remove_prefix(blank + 1);
  }
  std::uint64_t value = 0;
  std::from_chars(words.data(), words.data() + words.size(), value);
  return value;
}

}  // namespace wm::proc
