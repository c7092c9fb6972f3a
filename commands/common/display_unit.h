// Role: the unit in which bjobs -o and bhosts -o show sizes where a column names none.
#pragma once

#include "libwm/view/field.h"

namespace wm::cmd {

/// LSB_UNIT_FOR_JOBS_DISPLAY of the environment, else of lsf.conf beside wm.conf: K, M, G, T, P or
/// E, with or without a B; of anything else, as without it, each size is scaled by its value.
/// @cost reads one small file   @source LSF: LSB_UNIT_FOR_JOBS_DISPLAY
view::SizeUnit display_unit();

}  // namespace wm::cmd
