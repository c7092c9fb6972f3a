// Role: what is asked of the master about a search and done to it, by its owner: the same by
// bsearch and through the web door.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/client/master.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/rest/search_task.h"

namespace wm::cmd {

/// All that the elements of an open array were given. @errors as Master::give
Result<GiveReply> given_to(client::Master& master, JobId job);

/// The caller's searches that answer to the query, the newest first or as it says: also those that
/// the archive keeps, each with the state of its optimizer where it has one; what that one wrote
/// last is not looked at. @errors as RunsRequest, GiveRequest
Result<std::vector<rest::SearchTask>> searches_of(client::Master& master, RunQuery query);

/// The jobs that were optimizers of a search, the newest first: the caller's.
/// @errors as RunsRequest
Result<std::vector<JobView>> optimizers_of(client::Master& master, JobId search);

/// Trials that are not over. @cost O(trials)
std::vector<JobId> live_trials(const rest::SearchTask& task);
/// Is it over, whatever is done? @cost O(trials)
bool search_is_over(const rest::SearchTask& task);

/// No more trials begin; those that run run on, with `kill` they end.
/// @errors BadArgument: it is over, or stopped already; as Master::release
Result<void> hold_search(client::Master& master, const rest::SearchTask& task, bool kill);
/// Trials begin again. @errors BadArgument: it is over, or has not been stopped; as Master::release
Result<void> release_search(client::Master& master, const rest::SearchTask& task);
/// Ends a search that is stopped or over, for good.
/// @errors Conflict: it runs; as Master::kill
Result<void> end_search(client::Master& master, const rest::SearchTask& task);

/// Under which name it is remembered, beside its owner's bundles, that a search was deleted: its
/// code may serve others. @cost O(1)
std::string mark_of_search(JobId job);

}  // namespace wm::cmd
