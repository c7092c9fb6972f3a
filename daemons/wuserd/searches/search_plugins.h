// Role: search algorithms of users (plugins): kept as a folder each below the user's results, run
// as a small job of the user's, never in a daemon.
//
//   <results>/<user>/plugins/NAME/{plugin.json, code/optimizer.py …}  ─copy─► bundle of the
//   optimizer's job ─► wm_optimizer.py ─► bgive
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/search_task.h"

namespace wm::user {

/// Descriptions of all, as JSON. @cost a file each
std::vector<std::string> all_plugins(Site& site);
/// That one's. @errors NotFound
Result<std::string> find_plugin(Site& site, const std::string& name);
/// What the request brings, whole or not at all; its description. @errors BadArgument: by the
/// field, no optimizer.py; Conflict: there is one of that name; as unpack
Result<std::string> install_plugin(Call& call);
/// Searches that have begun go on: they have their own copy. @errors NotFound
Result<void> delete_plugin(Site& site, const std::string& name);

/// Begins the optimizer of a search. @errors as submit
Result<JobId> start_optimizer(Site& site, const std::string& plugin, JobId search,
                              const std::string& search_json, std::uint32_t at_once);
/// Adds to a plugin's search how its optimizer stands. @errors as Master::jobs
Result<void> look_at_optimizer(client::Master& master, rest::SearchTask& task);

}  // namespace wm::user
