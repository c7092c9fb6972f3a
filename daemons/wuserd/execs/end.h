// Role: ending an execution, and taking away what is left of it.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Ends its job, if that is not over, and takes away code and results; it is not shown any more.
/// @errors Conflict: the job does not end
Result<void> delete_exec(Site& site, const JobView& exec);

/// Takes away what a job has written, and the links to it: its folder, and those of its groups.
/// @errors System: a folder cannot be removed
Result<void> remove_results(Site& site, const JobView& job);

/// @errors as Master::kill
Result<void> stop_exec(Site& site, const JobView& exec);

}  // namespace wm::user
