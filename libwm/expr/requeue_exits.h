// Role: the exit codes of bsub -Q and of requeue_exits as a value.
//
//   "3 99"  "all ~1 ~2"  "30 EXCLUDE(20)"  "all ~1 EXCLUDE(9 10)"
//
// all: 1 to 255, whatever says that the job failed; ~code: not that one of those before it;
// EXCLUDE: these, too, but not on the hosts that the job ran on. Words stand in any order.
// @source LSF: bsub -Q, REQUEUE_EXIT_VALUES (lsf-surface 1.2)
#pragma once

#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"

namespace wm::expr {

/// Takes the words apart; blanks or commas are between them.
/// @errors BadArgument: no code from 0 to 255, all or ~code; EXCLUDE without its codes
/// @cost O(length)
Result<RequeueExits> parse_requeue_exits(std::string_view text);

/// The same as text that parse_requeue_exits reads. @cost O(codes)
std::string format_requeue_exits(const RequeueExits& exits);

}  // namespace wm::expr
