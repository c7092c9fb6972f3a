// Role: texts as libsodium takes them: as bytes. Shared by tokens and by passes to applications,
// which sign, seal and encode them.
#pragma once

#include <string>
#include <string_view>

namespace wm::rest {

/// The bytes of a text, to be written. @cost O(1)
inline unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}
/// The same, to be read. @cost O(1)
inline const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace wm::rest
