// Role: instants in the zone of who reads them, which TZ or the machine says: the one place that
// asks the C library for it. The zone is read once; a process that changes TZ calls tzset itself.
#pragma once

#include <ctime>
#include <string>

#include "libwm/base/units.h"

namespace wm {

/// Year, month, day and so on there. @thread any   @cost O(1), the first one reads the zone
std::tm local_parts(WallTime at);

/// The same as text, as strftime has it: "%Y-%m-%d %H:%M". Empty when it is longer than 127 bytes.
/// @thread any   @cost O(format)   @source strftime(3)
std::string local_text(WallTime at, const char* format);

}  // namespace wm
