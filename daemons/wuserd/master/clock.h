// Role: the time of day, as answers tell it.
#pragma once

#include <string>

#include "libwm/base/clock.h"

namespace wm::user {

/// Now as JSON has it: seconds since 1970 with a fraction. @thread any
inline std::string now_text() { return std::to_string(epoch_seconds(wall_now())); }

}  // namespace wm::user
