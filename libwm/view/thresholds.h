// Role: load thresholds, of a queue or a host, as bqueues -l and bhosts -l show them. Pure.
// @source LSF bqueues -l
#pragma once

#include <string>
#include <vector>

#include "libwm/model/load_limits.h"

namespace wm::view {

/// Three lines: LSF's load indices, loadSched and loadStop; "-": none. @cost O(limits)
std::string load_thresholds(const std::vector<LoadLimit>& limits);

}  // namespace wm::view
