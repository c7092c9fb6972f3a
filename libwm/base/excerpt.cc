#include "libwm/base/excerpt.h"

#include "libwm/base/hash.h"

namespace wm {

std::string excerpt(std::string_view text, std::size_t limit) {
  if (text.size() > limit)
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) --limit;
  std::string out;
  for (char c : text.substr(0, limit)) {
    auto byte = static_cast<unsigned char>(c);
    bool printed = byte >= 0x20 && byte != 0x7f;
    if (printed) out += c;
    else out += "\\x" + hex({&c, 1});
  }
  return out + (text.size() > limit ? "..." : "");
}

}  // namespace wm
