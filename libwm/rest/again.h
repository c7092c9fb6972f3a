// Role: the words of a run that is begun once more, from the start or from another's checkpoint.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "libwm/model/job.h"
#include "libwm/rest/exec_request.h"

namespace wm::rest {

/// The args of a run, so that it goes on from `from`, a job's number; empty: from the start,
/// whatever they said. @cost O(length)
std::string again_args(std::string_view args, const std::string& from);

/// What those args mean, as the run had it: data and hardware that are not among them, too.
/// @errors as parse_exec, add_exec_data
Result<ExecRequest> request_again(const JobSpec& spec, const std::string& args);

}  // namespace wm::rest
