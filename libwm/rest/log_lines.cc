#include "libwm/rest/log_lines.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "libwm/rest/letters.h"

namespace wm::rest {
namespace {

constexpr std::size_t kShownOfLine = 400;       // bytes of a line
constexpr std::size_t kLongestLine = 64 << 10;  // one that is longer counts as several

constexpr std::array<std::string_view, 6> kErrorWords = {"Traceback (most recent call last)",
                                                         "CUDA error",
                                                         "FAILED",
                                                         "fatal",
                                                         "Segmentation fault",
                                                         "panic:"};

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A character that the cut went through goes as a whole.
std::string_view cut_line(std::string_view line) {
  if (line.size() <= kShownOfLine) return line;
  auto end = kShownOfLine;
  while (end > kShownOfLine - 4 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end);
}

}  // namespace

bool begins_error(std::string_view line) {
  // "[rank3]: Traceback": what launchers put before it.
  if (line.starts_with('['))
    if (auto end = line.find("]: "); end != line.npos && end < 32) line.remove_prefix(end + 3);
  for (auto word : kErrorWords)
    if (line.starts_with(word)) return true;
  std::size_t name = 0;
  while (name < line.size() && name < 80 && is_of_name(line[name])) ++name;
  auto word = line.substr(0, name);
  bool ends = name < line.size() ? line[name] == ':' : true;
  return ends && (word.ends_with("Error") || word.ends_with("Exception")) && !word.empty();
}

LineSearch::LineSearch(const LineWish& wish) : wish_(wish), lower_(wish.word) {
  std::ranges::transform(lower_, lower_.begin(), small);
}

bool LineSearch::fits(std::string_view line) const {
  if (lower_.empty()) return begins_error(line);
  auto same = [](char c, char wanted) { return small(c) == wanted; };
  return std::search(line.begin(), line.end(), lower_.begin(), lower_.end(), same) != line.end();
}

void LineSearch::look(std::string_view line) {
  ++line_;
  if (!fits(line)) return;
  ++count_;
  if (found_.size() < wish_.most) found_.push_back({at_, line_, std::string(cut_line(line))});
}

void LineSearch::take(std::string_view block) {
  while (!block.empty()) {
    auto end = block.find('\n');
    bool whole = end != block.npos;
    auto part = block.substr(0, end);
    if (whole && begun_.empty()) {
      look(part);
      at_ += part.size() + 1;
    } else {
      begun_ += part;
      if (whole || begun_.size() >= kLongestLine) {
        look(begun_);
        at_ += begun_.size() + (whole ? 1 : 0);
        begun_.clear();
      }
    }
    block.remove_prefix(whole ? end + 1 : block.size());
  }
}

void LineSearch::end() {
  if (begun_.empty()) return;
  look(begun_);
  at_ += begun_.size();
  begun_.clear();
}

std::size_t whole_lines(std::string_view text) {
  auto end = text.rfind('\n');
  if (end != text.npos) return end + 1;
  return text.size() >= kLongestLine ? text.size() : 0;
}

}  // namespace wm::rest
