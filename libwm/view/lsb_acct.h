// Role: finished jobs from a log as LSF writes it (lsb.acct, and lsb.events as WM writes it), for
// bacct -f. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/verbs/acct.h"

namespace wm::view {

/// Jobs of its lines JOB_FINISH, in their order; other lines are passed over. `name`: of the file.
/// @errors BadArgument: such a line that is cut off, with its number   @cost O(text)
/// @source LSF: lsb.acct (lsf-surface 4)
Result<std::vector<AcctJob>> jobs_of_lsb(const std::string& name, std::string_view text);

/// Is it one that is asked for, by what a log tells of it? A name may begin or end with '*'.
/// @cost O(ids)
bool is_asked(const AcctRequest& request, const AcctJob& job);

}  // namespace wm::view
