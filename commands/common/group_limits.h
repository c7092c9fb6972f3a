// Role: -L of bgadd and bgmod: how many jobs of a job group may run at a time.
#pragma once

#include "commands/common/options.h"
#include "libwm/base/result.h"
#include "libwm/model/group_verbs.h"

namespace wm::cmd {

/// -L and -Ln into the request. @errors BadArgument: no number
Result<void> read_group_limit(const Parsed& options, GroupRequest& request);

}  // namespace wm::cmd
