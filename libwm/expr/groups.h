// Role: is a job's list of task groups, and what an open array asks for, sound by itself? What the
// cluster can run is the master's to say. Pure.
#pragma once

#include "libwm/base/result.h"
#include "libwm/model/job.h"

namespace wm::expr {

/// So many groups may a job have.
inline constexpr std::size_t kMostGroups = 16;

/// Is what names a bundle a key, and its folder within it? @errors BadArgument @cost O(length)
Result<void> check_bundle(const Execution& exec);

/// Names, sizes and what goes with groups; and that only an array is open.
/// @errors BadArgument: a name that is not [a-z][a-z0-9_-]{0,31}, or twice; no command; sizes that
///   are reversed, or 0 where the group lives with the job; groups together with an array, -ar, a
///   script, -I or -n; Limit: more than kMostGroups
/// @cost O(groups log groups)
Result<void> check_groups(const JobSpec& spec);

}  // namespace wm::expr
