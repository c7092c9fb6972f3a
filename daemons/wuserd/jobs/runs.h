// Role: what has run, asked of the master: jobs that it knows and those that its archive keeps, in
// one list, by pages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/model/verbs/run_verbs.h"

namespace wm::user {

/// One page. @errors as RunsRequest
Result<RunsReply> runs_page(Site& site, const RunsRequest& request);
/// The run of that number, whole; none: there is no such run, or it is not to be seen.
/// @errors as RunsRequest
Result<std::optional<RunView>> run_of(Site& site, std::uint32_t job);
/// All that answer, a page after the other, until `visit` returns false. @errors as RunsRequest
Result<void> each_run(Site& site, RunsRequest request, const std::function<bool(RunView&)>& visit);

/// Deletes the record of a run of this user's that has ended, or of one element.
/// @errors as DeleteRunsRequest
Result<void> delete_record(Site& site, JobId run);

}  // namespace wm::user
