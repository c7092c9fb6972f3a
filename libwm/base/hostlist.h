// Role: host ranges as administrators write them: "gpu[01-16],login1".
// Invariant: expansion is bounded, so a typing error in a file cannot eat the memory.
// Callers: conf (host sections), the commands' host arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm {

/// Expands "n[1-3,7],m[01-02]x" to n1 n2 n3 n7 m01x m02x; leading zeros are kept.
/// @errors BadArgument: unbalanced bracket, bad range, empty name; Limit: over 100,000 names
/// @cost O(names)
Result<std::vector<std::string>> expand_hosts(std::string_view text);

}  // namespace wm
