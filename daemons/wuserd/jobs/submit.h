// Role: submits a job of the user's own as bsub does: the same rules of
// specifications, the user's own signature.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/model/job_request.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::user {

/// What makes the containers of jobs of this profile of apps.conf; "none": they are in none.
/// @errors as conf::load
Result<std::string> container_program(const Site& site, const std::string& app);

/// Submits a job as this execution. Its environment is that of a fresh login, not the daemon's.
/// @errors as bsub's; Limit: the user's results have reached results_quota
Result<SubmitReply> submit(Site& site, const JobRequest& job, Execution exec);

/// What an open array has besides its options.
struct OpenArray {
  std::string name;
  std::uint32_t most = 1;     ///< elements, from 1
  std::uint32_t at_once = 1;  ///< that run
};

/// The same of an open array. @errors as bsub's
Result<SubmitReply> submit_array(Site& site, const JobRequest& job, Execution exec,
                                 OpenArray array);

/// What a job of several groups has besides its options.
struct Grouped {
  std::vector<TaskGroup> groups;
  Execution exec;
  std::vector<std::pair<std::string, std::string>> environment;  ///< besides the login's
  std::uint32_t umask = 077;
};

/// The same of a job with groups that have their commands; `job` has none.
/// @errors as bsub -spec's
Result<SubmitReply> submit_groups(Site& site, const JobRequest& job, Grouped grouped);

}  // namespace wm::user
