// Role: which Python modules there are on this host for frameworks to run with, asked once each.
#pragma once

#include "libwm/base/result.h"
#include "libwm/rest/frameworks.h"

namespace wm::user {

/// @errors Impossible: the framework's module cannot be imported here, by name   @cost a process at
/// first
Result<void> need_module(const rest::Framework& framework);

}  // namespace wm::user
