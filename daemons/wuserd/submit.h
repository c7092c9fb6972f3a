// Role: submits a job of the user's own as bsub does: the same options, the same compiler of
// specifications, the user's own signature.
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site.h"
#include "libwm/model/verbs.h"

namespace wm::user {

/// Submits what these words of bsub ask for, the command last. The job's environment is that of a
/// fresh login, not the daemon's.
/// @errors as bsub's
Result<SubmitReply> submit(Site& site, const std::vector<std::string>& words);

}  // namespace wm::user
