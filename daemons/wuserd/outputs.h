// Role: what executions leave behind: logs of their workers, and the zip of their results.
#pragma once

#include <string>

#include "daemons/wuserd/execs.h"

namespace wm::user {

/// Sends the output of all workers, one after another. `type`: outlog, errlog, outerrlog.
/// @errors BadArgument: another type
Result<void> send_logs(Call& call, const Exec& exec, const std::string& type);

/// Sends the zip of its results. @errors NotFound: there are none; System
Result<void> send_results(Call& call, const Exec& exec);

}  // namespace wm::user
