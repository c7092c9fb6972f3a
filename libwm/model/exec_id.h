// Role: how a job is called by those who know executions (REST, dlicmd): "<cluster>-12", of an
// element "<cluster>-12-4"; as part of a path an element is "12.4". One function each way.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/ids.h"

namespace wm {

/// "12" or "12.4": a job as part of a path. @cost O(1)
std::string id_part(JobId job);
/// "<cluster>-12", of an element "<cluster>-12-4": names of objects elsewhere have no dots.
/// @cost O(1)
std::string exec_id(std::string_view cluster, JobId job);
/// The job of an exec id of this cluster, or of what id_part makes, elements with '-' or '.'; none:
/// it is neither.
/// @cost O(length)
std::optional<JobId> job_of_exec(std::string_view text, std::string_view cluster);

}  // namespace wm
