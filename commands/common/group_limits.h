// Role: what bgadd, bgmod and bgdel share: -L, how many jobs of a job group may run at a time, and
// one request for each group that is named.
#pragma once

#include <string_view>

#include "libwm/base/result.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// Asks the master for `act` on each group named, with what -L and -Ln say of its limit; prints
/// "Job group </risk> was added." with `done` for its verb. The exit status.
/// @errors BadArgument: no group, no number; what the master refuses is printed
Result<int> change_groups(std::string_view command, const Parsed& options, GroupRequest::Act act,
                          std::string_view done);

}  // namespace wm::cmd
