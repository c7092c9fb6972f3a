#include "libwm/report/words.h"

#include <algorithm>
#include <cmath>

namespace wm::report {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Marks that turn the direction of what follows: U+202A to U+202E and U+2066 to U+2069.
bool turns(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || text[at] != '\xe2') return false;
  auto second = text[at + 1], third = text[at + 2];
  if (second == '\x80') return third >= '\xaa' && third <= '\xae';
  return second == '\x81' && third >= '\xa6' && third <= '\xa9';
}

}  // namespace

std::string number(double n, int decimals) {
  double scale = std::pow(10.0, decimals);
  auto scaled = static_cast<long long>(std::llround(std::fabs(n) * scale));
  auto whole = scaled / static_cast<long long>(scale),
       rest = scaled % static_cast<long long>(scale);
  std::string text = std::to_string(whole);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  if (decimals > 0) {
    auto behind = std::to_string(rest);
    text += "." + std::string(static_cast<std::size_t>(decimals) - behind.size(), '0') + behind;
  }
  return n < 0 && scaled > 0 ? "-" + text : text;
}

std::string percent(double part, double whole) {
  return whole > 0 ? number(100 * part / whole, 1) + " %" : "n/a";
}

std::string wait_words(double seconds) {
  if (seconds < 120) return number(seconds, 0) + " s";
  if (seconds < 7200) return number(seconds / 60, 0) + " min";
  if (seconds < 172800) return number(seconds / 3600, 1) + " h";
  return number(seconds / 86400, 1) + " d";
}

std::string unit_hours(std::int64_t mms) { return number(static_cast<double>(mms) / 3.6e9, 1); }
std::string slot_hours(std::int64_t ms) { return number(static_cast<double>(ms) / 3.6e6, 1); }

std::string slot_seconds(std::int64_t ms) {
  bool negative = ms < 0;
  auto size = negative ? -ms : ms;
  auto text = std::to_string(size / 1000);
  if (auto rest = size % 1000) {
    auto behind = std::to_string(1000 + rest).substr(1);
    while (behind.back() == '0') behind.pop_back();
    text += "." + behind;
  }
  return negative ? "-" + text : text;
}
std::string unit_seconds(std::int64_t mms) {
  return slot_seconds(mms / 1000 + (mms % 1000 >= 500 ? 1 : 0));
}

std::string plain(std::string_view text, std::size_t most) {
  std::string made;
  for (std::size_t i = 0; i < text.size() && made.size() < most; ++i) {
    if (turns(text, i)) {
      i += 2;
      continue;
    }
    made += is_control(text[i]) ? ' ' : text[i];
  }
  if (made.size() >= most) {
    while (!made.empty() && (static_cast<unsigned char>(made.back()) & 0xc0) == 0x80)
      made.pop_back();
    if (!made.empty() && (made.back() & 0x80)) made.pop_back();
    made += "...";
  }
  return made;
}

std::string html(std::string_view text, std::size_t most) {
  std::string made;
  for (char c : plain(text, most)) {
    switch (c) {
      case '&': made += "&amp;"; break;
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      case '"': made += "&quot;"; break;
      case '\'': made += "&#39;"; break;
      default: made += c;
    }
  }
  return made;
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t before) {
  constexpr std::size_t kColumns = 78;
  std::string made;
  std::size_t column = before, begin = before;  // of a line: where its words begin
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(' ', at), text.size());
    auto word = text.substr(at, end - at);
    auto width = static_cast<std::size_t>(std::count_if(word.begin(), word.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
    if (column > begin && column + 1 + width > kColumns) {
      made += "\n" + std::string(indent);
      column = begin = indent.size();
    }
    if (column > begin) made += ' ', ++column;
    made += word, column += width;
    at = end + 1;
  }
  return made;
}

std::string csv(std::string_view text) {
  auto made = plain(text);
  if (!made.empty() && std::string_view("=+-@").find(made[0]) != std::string_view::npos)
    made.insert(0, "'");
  if (made.find_first_of(",\"") == std::string::npos) return made;
  std::string quoted = "\"";
  for (char c : made) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string data_word(std::string_view text) {
  auto made = plain(text);
  for (char& c : made)
    if (c == '"' || c == '`' || c == '\\' || c == '\'') c = '_';
  if (made.size() > 40) made = plain(made.substr(0, 37)) + "...";
  return made.empty() ? "-" : made;
}

}  // namespace wm::report
