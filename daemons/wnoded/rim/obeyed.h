// Role: the file `obeyed` in the host's state folder: the highest master this host has obeyed, over
// its own restarts. Fields in one line: store, term, event, last job.
#pragma once

#include <string>

#include "libwm/base/result.h"
#include "libwm/model/master_rank.h"

namespace wm::node {

/// Nobody yet where there is no file. @errors Damaged: not as it was written; System
/// @thread any   @cost one read
Result<MasterRank> read_obeyed(const std::string& path);
/// @errors System: path and reason; the old file stays   @thread any   @cost two fsync
Result<void> keep_obeyed(const std::string& path, const MasterRank& master);

}  // namespace wm::node
