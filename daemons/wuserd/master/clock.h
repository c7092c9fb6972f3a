// Role: the time of day, as answers tell it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "libwm/base/units.h"

namespace wm::user {

/// Now. @thread any
inline WallTime now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}
/// The same. @units whole seconds since 1970
inline std::int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(now().time_since_epoch()).count();
}
/// The same as JSON has it: seconds since 1970 with a fraction.
inline std::string now_text() { return std::to_string(epoch_seconds(now())); }

}  // namespace wm::user
