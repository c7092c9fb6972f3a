// Role: a search of hyperparameters as WMLA's clients ask for it (the form field `data` of POST
// /hypersearch), and as the core keeps it (libwm/search). Pure.
//
//   {"hpoName", "modelSpec": {"args"}, "algoDef": {…}, "hyperParams": […]} ─► SearchRequest
//
// @source wmla-surface 5.1; both generations' spellings
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

/// One request.
struct SearchRequest {
  std::string name;               ///< hpoName; empty: one is to be made
  std::string args;               ///< modelSpec.args, in the words of an execution
  std::string algorithm;          ///< as it was named; empty: auto
  std::string search;             ///< the core's (libwm/search/search.h), without a seed of its own
  std::uint32_t at_once = 1;      ///< maxParalleJobNum
  std::uint32_t most = 0;         ///< maxJobNum; 0: as many as the algorithm brings
  bool first_generation = false;  ///< modelSpec.sigName is there: it reads a name, not an object
  bool operator==(const SearchRequest&) const = default;
};

/// @errors BadArgument: not such an object, or the field that is missing or does not read
/// @cost O(length)
Result<SearchRequest> read_search_request(std::string_view data);

/// The search as the checker sees it: a plugin's own fields are left out.
/// @cost O(length)
std::string judged(const SearchRequest& request);
/// The same search for a plugin of the owner's. @cost O(length)
std::string of_plugin(std::string_view search, std::string_view plugin);

/// What POST /hypersearch answers: the name as a JSON string to clients of the first generation, to
/// others {"uid", "href"}. @cost O(1)
std::string creation_json(const std::string& name, bool first_generation);

/// May a search be called so? @errors BadArgument: what a name may not be
Result<void> check_search_name(std::string_view name);

/// The search with a seed where it has none: a number that follows from `name`. @cost O(length)
std::string with_seed(std::string_view search, std::string_view name);

/// Is it an algorithm that comes with WM, in any case? @cost O(1)
bool is_built_in(std::string_view algorithm);
/// The algorithms that come with WM, in the words of GET /hypersearch/algorithm; `name`: that one.
/// @errors NotFound
Result<std::string> built_in_json(std::string_view name = "");

/// A plugin that is to be installed, as clients describe it.
struct PluginRequest {
  std::string name;
  std::string path;  ///< a folder on the server; empty: its files come along
  std::string conda_home, conda_env, log_level;
  std::uint32_t limit_s = 0;  ///< of one answer; 0: a minute
  bool operator==(const PluginRequest&) const = default;
};
/// @errors BadArgument: by the field; Conflict: an algorithm that comes with WM is called so
Result<PluginRequest> read_plugin_request(std::string_view data);
/// As GET /hypersearch/algorithm has it, and as it is kept. @cost O(length)
std::string plugin_json(const PluginRequest& plugin, std::string_view creator,
                        std::string_view created);
/// What wm_optimizer reads: the search, and which plugin it is. @errors BadArgument: damaged
Result<std::string> optimizer_json(std::string_view search, std::string_view plugin,
                                   std::uint32_t at_once);

}  // namespace wm::rest
