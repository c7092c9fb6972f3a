// Role: which jobs a command means: the options that select, shared by bjobs, bkill, bhist, bacct,
// bstop and bresume. @source LSF bjobs, bkill (lsf-surface 3.3, 4)
#pragma once

#include <string>

#include "commands/common/options.h"
#include "libwm/base/result.h"
#include "libwm/model/acct.h"

namespace wm::cmd {

/// -J -u -q -m -P -app and the ids among the words into a selection of unfinished jobs;
/// the id 0 stands for all of the caller's.
/// @errors BadArgument: "x: Illegal job ID."
Result<JobSelection> select_jobs(const Parsed& options);

/// The same of what accounting keeps, with the ranges of -C -S -D. @errors BadArgument
Result<AcctRequest> select_records(const Parsed& options);

/// Has anything been selected: an id, 0, or one of the options. @cost O(1)
bool selects(const Parsed& options);

/// Signal by number or by name with or without SIG.
/// @errors BadArgument: "x: Signal not supported"
Result<int> parse_signal(const std::string& text);

/// The names that parse_signal() knows, separated by blanks. @cost O(1)
std::string signal_names();

}  // namespace wm::cmd
