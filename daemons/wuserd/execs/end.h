// Role: ending an execution, and taking away what is left of it.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Ends its job, if that is not over, and takes away code and results; it is not shown any more.
/// @errors Conflict: the job does not end
Result<void> delete_exec(Site& site, const JobView& exec);

/// @errors as Master::kill
Result<void> stop_exec(Site& site, const JobView& exec);

}  // namespace wm::user
