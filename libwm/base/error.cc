#include "libwm/base/error.h"

#include <array>

namespace wm {

std::string_view code_name(Code code) {
  static constexpr std::array<std::string_view, 15> kNames = {
      "ok",         "bad_argument", "not_found", "denied", "conflict",
      "impossible", "unavailable",  "timeout",   "store",  "damaged",
      "version",    "limit",        "system",    "stale",  "refused"};
  auto i = static_cast<std::size_t>(code);
  return i < kNames.size() ? kNames[i] : "unknown";
}

Error Error::within(std::string_view context) const {
  return Error{code, std::string(context) + ": " + text};
}

}  // namespace wm
