// Role: finding jobs, and executions: jobs of this user that came in as such.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/model/verbs/run_query.h"

namespace wm::user {

/// All that a job can be in before it is over.
std::vector<JobState> live_states();

/// Is the job this user's? @cost O(1)
bool is_own(const JobView& view);

/// The job of that number, of several groups as one. @errors NotFound; as Master::jobs
Result<JobView> job_of(Site& site, JobId id);
/// The job of that id, an execution's or a job's, of any owner. @errors NotFound
Result<JobView> find_job(Site& site, const std::string& id);
/// The same, of this user's alone. @errors NotFound: also for another's
Result<JobView> find_own_job(Site& site, const std::string& id);

/// The execution of that id. @errors NotFound: none of this user's, even if another has one
Result<JobView> find_exec(Site& site, const std::string& id);

/// This user's that answer to the query, the newest first or as it says, until `visit` returns
/// false: executions, of a search its trials; also those that the archive keeps.
/// @errors as RunsRequest
Result<void> each_exec(Site& site, const RunQuery& query,
                       const std::function<bool(JobView&)>& visit);
/// All of them, the newest first. @errors as each_exec
Result<std::vector<JobView>> all_execs(Site& site);

/// What runs or ran under any name: executions, notebooks, services and jobs of bsub, the newest
/// first, until `visit` returns false; those of others as far as the master shows them to this
/// user.
/// @errors as each_exec
Result<void> each_app(Site& site, RunQuery query, const std::function<bool(JobView&)>& visit);
/// One of these. @errors NotFound
Result<JobView> find_app(Site& site, const std::string& id);

}  // namespace wm::user
