// Role: finding executions: jobs of this user that came in as such.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Is the job this user's? @cost O(1)
bool is_own(const JobView& view);

/// The job of that id, an execution's or a job's, whoever owns it. @errors NotFound
Result<JobView> find_job(Site& site, const std::string& id);
/// The same, of this user's alone. @errors NotFound: also for another's
Result<JobView> find_own_job(Site& site, const std::string& id);

/// The execution of that id. @errors NotFound: none of this user's, whoever else has one
Result<JobView> find_exec(Site& site, const std::string& id);

/// All of this user's, the newest first. @errors as Master::jobs
Result<std::vector<JobView>> all_execs(Site& site);

/// Begins an execution with what the request brings, or finds the one that an earlier request with
/// the same Idempotency-Key began. @errors as parse_exec, receive, unpack, submit
Result<JobView> start_exec(Call& call);

/// Code that lies on disk already, with the args of its execution.
struct StoredCode {
  std::string args;
  std::string data;  ///< what else a request says, as the form field of that name; empty: nothing
  std::string path;
  std::string name;  ///< of the file, as it was uploaded
};
/// Begins an execution of it. @errors as start_exec
Result<JobView> start_stored(Site& site, const StoredCode& code);

/// Ends its job, if that is not over, and takes away code and results; it is not shown any more.
/// @errors Conflict: the job does not end
Result<void> delete_exec(Site& site, const JobView& exec);

/// @errors as Master::kill
Result<void> stop_exec(Site& site, const JobView& exec);

}  // namespace wm::user
