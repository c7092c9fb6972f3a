// Role: runtimes of inference services: the Python of the hosts, those that the user has described,
// and frameworks of the catalog, which have an environment as well.
//
//   ~/.config/wm/runtimes/<type>.json     0600; of one that the user has described
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/serve/runtime.h"

namespace wm::user {

/// What a model's `runtime` means. Of the hosts' own Python all is empty.
/// @errors BadArgument: there is none of that name, with those that there are
Result<serve::Runtime> find_runtime(Site& site, const std::string& type);

/// Its text alone. @errors NotFound
Result<std::string> runtime_text(Site& site, const std::string& type);
/// {"schema_version", "runtimes": […]}. @cost a file each
std::string runtimes_json(Site& site);
/// `again`: it replaces one that is there. @errors BadArgument: by the key; Conflict, NotFound
Result<void> keep_runtime(Site& site, const std::string& type, const std::string& json, bool again);
/// @errors Denied: it comes with WM; NotFound
Result<void> remove_runtime(Site& site, const std::string& type);

}  // namespace wm::user
