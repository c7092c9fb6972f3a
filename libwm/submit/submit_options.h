// Role: the options of bsub: one table, of which parsing, -h, the manual page and completion are
// made.
#pragma once

#include <span>

#include "libwm/submit/options.h"

namespace wm::cmd {

/// bsub's table; #BSUB lines go through it too. @cost O(1)
std::span<const Option> submit_options();

}  // namespace wm::cmd
