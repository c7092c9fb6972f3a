#include "libwm/login/shown_name.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestShown = 60;

// Also those of addresses: IPv6 has colons.
bool is_shown(char c) {
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("_-.@:+$/").find(c) != std::string_view::npos;
}

}  // namespace

std::string shown_name(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (text.empty()) return "-";
  std::string shown;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    auto piece = is_shown(c) ? std::string(1, c)
                             : std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
    if (shown.size() + piece.size() > kLongestShown) return shown + "...";
    shown += piece;
  }
  return shown;
}

}  // namespace wm::rest
