// Role: a job as clients of WMLA read the ParallelJob that stands behind an execution there: its
// state with the reason of waiting, its times, its kinds of tasks. Pure: text of JSON.
// @source the fields that dlicmd looks for (wmla-surface 1.5)
#pragma once

#include <string>
#include <string_view>

#include "libwm/model/verbs/job_verbs.h"

namespace wm::rest {

/// The object of one job. @cost O(reasons)
std::string parallel_job_json(const JobView& view, std::string_view cluster);

}  // namespace wm::rest
