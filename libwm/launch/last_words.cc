#include "libwm/launch/last_words.h"

#include <sys/wait.h>

#include <algorithm>

namespace wm::launch {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n\f\v";

bool is_control(char c) {
  constexpr unsigned char kDelete = 0x7f;
  auto byte = static_cast<unsigned char>(c);
  return byte < ' ' || byte == kDelete;
}

/// Not in the middle of a character of UTF-8.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr unsigned char kTop = 0xc0, kFollows = 0x80;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & kTop) == kFollows) --most;
  return text.substr(0, most);
}

std::string how(std::int32_t status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::string last_line(std::string_view bytes, std::size_t most) {
  auto end = bytes.find_last_not_of(kWhiteSpace);
  if (end == bytes.npos) return "";
  auto line = bytes.substr(0, end + 1);
  if (auto before = line.rfind('\n'); before != line.npos) line.remove_prefix(before + 1);
  line.remove_prefix(line.find_first_not_of(kWhiteSpace));
  std::string text(cut(line, most));
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

std::string failure_block(const ExitRecord& record, std::string_view host, std::string_view bytes) {
  auto end = bytes.find_last_not_of(kWhiteSpace);
  if (end == bytes.npos) return "";
  auto text = bytes.substr(0, end + 1);
  if (bytes.size() > kLastWords) {
    text.remove_prefix(std::min(text.size(), bytes.size() - kLastWords));
    if (auto line = text.find('\n'); line != text.npos) text.remove_prefix(line + 1);
  }
  auto block = "\n---- task " + std::to_string(record.task.value) + " on host " +
               std::string(host) + " failed with " + how(record.status) +
               "; the end of its stderr: ----\n";
  return block.append(text) + "\n----\n";
}

}  // namespace wm::launch
