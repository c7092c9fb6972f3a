#include "libwm/base/log_text.h"

#include <cstdio>

namespace wm::log {
namespace {

/// Bytes of the UTF-8 character that begins here and is no control character; 0: none does.
std::size_t character_at(std::string_view text) {
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  bool c1 = first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
  return c1 ? 0 : size;
}

void append_escaped(std::string& line, char c) {
  if (c == '\n') line += "\\n";
  else if (c == '\r') line += "\\r";
  else if (c == '\t') line += "\\t";
  else {
    char hex[5];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
    line += hex;
  }
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    auto size = character_at(text);
    if (size > 0) line += text.substr(0, size);
    else append_escaped(line, text[0]);
    text.remove_prefix(size > 0 ? size : 1);
  }
  return line;
}

}  // namespace wm::log
