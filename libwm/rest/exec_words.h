// Role: from an execution to the job that it asks for, and to the words of bsub that ask for the
// same, which pages show as "the equivalent bsub line". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/config/catalog.h"
#include "libwm/model/job_parts.h"
#include "libwm/model/job_request.h"
#include "libwm/rest/exec_needs.h"
#include "libwm/rest/exec_request.h"
#include "libwm/rest/frameworks.h"

namespace wm::rest {

/// The job that it asks for. @errors BadArgument: no script and no command; Impossible: what is not
/// done here, by name
Result<JobRequest> job_request(const ExecRequest& request, const Framework& framework,
                               const ExecPlace& place);

/// The same in bsub's words: options, then the command as one word for a shell; of groups -spec
/// with a here-document.
/// @errors as job_request
Result<std::vector<std::string>> bsub_words(const ExecRequest& request, const Framework& framework,
                                            const ExecPlace& place);

/// Groups of tasks that it is instead of one kind of them: parameter servers and workers, which
/// find each other by TF_CONFIG, and a driver that asks for something else than the workers, of
/// whom it is the first (launch/group_team.h). Empty: it is one kind. The job itself has no command
/// and no size then.
/// @errors as job_request
Result<std::vector<TaskGroup>> task_groups(const ExecRequest& request, const Framework& framework,
                                           const ExecPlace& place);

/// Does what is asked fit the framework: the kind of device, the number of workers, a model that is
/// prebuilt? @errors Impossible: with the reason
Result<void> check_fit(const ExecRequest& request, const Framework& framework,
                       const ExecPlace& place);

/// Takes a hardware specification for what the request leaves open. @cost O(1)
void use_hardware(const HardwareSpec& spec, ExecRequest& request);

/// Scripts of elastic frameworks that read --numWorker and --gpuPerWorker themselves, as `script`
/// shows, get them back behind their own words. @cost O(script)
void give_worker_words(std::string_view script, const Framework& framework, ExecRequest& request);

/// "bsub -app training … python3 main.py", each word quoted where a shell needs it. @cost O(length)
std::string shell_line(const std::vector<std::string>& bsub_words);

/// A word as a shell reads it back. @cost O(length)
std::string shell_quoted(std::string_view word);

}  // namespace wm::rest
