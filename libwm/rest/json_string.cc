#include "libwm/rest/json_string.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "libwm/base/json.h"

namespace wm::rest {
namespace {

std::string without_quotes(std::string_view text) {
  auto quoted = wm::to_text(Json(text));
  return quoted.substr(1, quoted.size() - 2);
}

// How many bytes at the end begin a character that is not whole.
std::size_t cut_character(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    auto c = static_cast<unsigned char>(text[text.size() - back]);
    if (c < 0x80) return 0;
    if (c < 0xC0) continue;
    std::size_t whole = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    return back < whole ? back : 0;
  }
  return 0;
}

}  // namespace

std::string JsonString::piece(std::string_view bytes) {
  held_ += bytes;
  auto cut = cut_character(held_);
  auto whole = without_quotes(std::string_view(held_).substr(0, held_.size() - cut));
  held_.erase(0, held_.size() - cut);
  return whole;
}

std::string JsonString::rest() { return without_quotes(std::exchange(held_, {})); }

}  // namespace wm::rest
