// Role: searches of hyperparameters: arrays of this user's that have a suggester; found, begun,
// stopped and deleted.
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/search_task.h"

namespace wm::user {

/// All of this user's that are not deleted, the newest first. @errors as Master::jobs
Result<std::vector<rest::SearchTask>> all_searches(Site& site);
/// That one, by its name, its execution's id or its job's number; the newest of that name.
/// @errors NotFound: none of this user's, even if another has one
Result<rest::SearchTask> find_search(Site& site, const std::string& name);

/// A search that is under way.
struct BegunSearch {
  std::string name;
  bool first_generation = false;  ///< its client reads the name alone
};

/// Begins what the request asks for, or finds what an earlier one with the same Idempotency-Key
/// began. @errors BadArgument: by the field; Conflict: there is one of that name; as
///   prepare and submit
Result<BegunSearch> start_search(Call& call);

/// No more trials begin; those that run run on, with `kill` they end. @errors Conflict: it is over
Result<void> hold_search(Site& site, const rest::SearchTask& task, bool kill);
/// Trials begin again. @errors Conflict: it is over, or it has not been stopped
Result<void> release_search(Site& site, const rest::SearchTask& task);
/// It is not shown any more; its trials' executions stay. @errors Conflict: it runs
Result<void> delete_search(Site& site, const rest::SearchTask& task);

}  // namespace wm::user
