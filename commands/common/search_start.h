// Role: begins a search from a shell: the request as WMLA's clients write it (POST /hypersearch),
// code from a folder, submitted as the web door does it: an open array of trials, signed once by
// its owner.
#pragma once

#include <cstdint>
#include <string>

#include "libwm/base/result.h"
#include "libwm/client/master.h"
#include "libwm/rest/search_task.h"

namespace wm::cmd {

/// What is begun.
struct SearchStart {
  std::string request;      ///< JSON
  std::string folder;       ///< of the code; empty: none
  std::string queue, plan;  ///< empty: as the request and the cluster say
  std::string plugin;       ///< folder of the algorithm's optimizer.py; empty: one installed
};

/// A search that was submitted.
struct SearchBegun {
  std::string name;
  SubmitReply reply;
};

/// One by a plugin has a second job, of its optimizer. @errors BadArgument: by the field, no such
/// code or algorithm; Conflict: one of that name; Impossible: what its framework cannot; as
/// Master::submit
Result<SearchBegun> start_search(client::Master& master, const ClusterConf& conf,
                                 const SearchStart& start);

/// Another search like this one, of `trials` trials, that knows what this one has found.
/// @errors BadArgument: nothing is found by models there; NotFound: its code is gone; as
/// Master::submit
Result<SearchBegun> extend_search(client::Master& master, const ClusterConf& conf,
                                  const rest::SearchTask& task, std::uint32_t trials);

/// The folder in which this user's bundles wait. @errors NotFound: no account
Result<std::string> incoming_here(const ClusterConf& conf);

/// What a search that continues `search` looks for: `known` are its finished trials, `trials` the
/// most. Pure. @errors BadArgument: nothing is found by models there
Result<std::string> continued(const rest::SearchTask& task, std::uint32_t trials);

/// The name of one that continues `name`, which none of `taken` has: fit, fit-2, fit-3. Pure.
std::string next_name(const std::string& name, const std::vector<std::string>& taken);

}  // namespace wm::cmd
