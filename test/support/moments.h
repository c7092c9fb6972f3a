// Role: moments that tests name by their seconds; `using test::mono::at;` where they are many.
#pragma once

#include <cstdint>

#include "libwm/base/units.h"

namespace wm::test {

inline Duration seconds_of(double s) { return Duration(static_cast<std::int64_t>(s * 1e6)); }

/// After the zero of the monotonic clock.
namespace mono {
inline TimePoint at(double s) { return TimePoint(seconds_of(s)); }
}  // namespace mono

/// After 1970.
namespace wall {
inline WallTime at(double s) { return WallTime(seconds_of(s)); }
}  // namespace wall

}  // namespace wm::test
