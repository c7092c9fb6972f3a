// Role: moments as people read them, in the time zone of the reader; "" for one that is not set.
// Pure but for the zone. Used by every table and long form.
#pragma once

#include <string>

#include "libwm/base/units.h"

namespace wm::view {

/// Local time as LSF writes it: "Nov 20 07:44". @cost O(1)
std::string short_time(WallTime time);
/// "Fri Nov 20 07:44:06". @cost O(1)
std::string long_time(WallTime time);
/// "Fri Nov 20 07:44:06 2026": of one that may be years away. @cost O(1)
std::string year_time(WallTime time);
/// "11/20-07:44:06", for -W. @cost O(1)
std::string dated_time(WallTime time);

}  // namespace wm::view
