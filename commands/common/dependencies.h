// Role: which jobs a condition as of bsub -w names. Pure. Used by bjdepinfo.
#pragma once

#include <string_view>
#include <vector>

#include "libwm/base/ids.h"

namespace wm::cmd {

/// The jobs in a condition as the master keeps it, with numbers for names; each once, in order.
/// An element is named by its index, an array as a whole by index 0. @cost O(text)
std::vector<JobId> jobs_named_in(std::string_view condition);

}  // namespace wm::cmd
