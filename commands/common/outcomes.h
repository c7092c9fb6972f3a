// Role: what a command that acts on jobs says at its end, one line a job: bkill, bstop, bresume,
// btop, bbot, bswitch, bmod.
#pragma once

#include "libwm/base/result.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::cmd {

/// Prints what was done to stdout and what was refused to stderr. Returns the exit code: kRefused
/// where anything was.
/// @errors NotFound: no job was meant
Result<int> tell(const OutcomeReply& reply);

}  // namespace wm::cmd
