// Role: the characters of names that web clients write in any case. Of this folder only: what else
// is asked of letters has its own rules.
#pragma once

#include <string>
#include <string_view>

namespace wm::rest {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of A to Z alone.
inline std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

}  // namespace wm::rest
