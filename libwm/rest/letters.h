// Role: the characters of names that web clients write in any case, and texts as libsodium takes
// them: as bytes. Of this folder only.
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

inline unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}
inline const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace wm::rest
