// Role: what this user may choose from: frameworks (built in, the site's, the user's own), storage
// volumes, hardware specifications. Read from their files at each question: they are small.
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/exec_request.h"
#include "libwm/rest/frameworks.h"

namespace wm::user {

/// All of them. @errors BadArgument: a file does not read, by line; System
Result<std::vector<Framework>> known_frameworks(const Site& site);
/// Those that one of the user's groups may use. @errors as known_frameworks
Result<std::vector<Volume>> known_volumes(const Site& site);
/// @errors NotFound: no such volume, or none that the user may see
Result<Volume> volume_named(const Site& site, const std::string& name);
/// @errors as known_frameworks
Result<std::vector<HardwareSpec>> known_hardware(const Site& site);

/// Is the folder there that an experiment's data is in: below this volume, or without one below the
/// cluster's data? As this user sees it on the door's host; where neither is named all is well.
/// @errors NotFound: no such volume, no such folder; Impossible: the volume's own is not there
Result<void> check_data_place(const Site& site, const std::string& volume, const std::string& path);

/// Puts in place of names what they stand for: hardware specification and volume.
/// @errors NotFound: no such name; Impossible: the volume's folder is not there
Result<void> resolve_names(const Site& site, rest::ExecRequest& request);

/// Keeps a framework of the user's own. @errors as parse_framework; System
Result<Framework> install_framework(const Site& site, const std::string& json);
/// @errors NotFound: the user has none of that name; System
Result<void> remove_framework(const Site& site, const std::string& name);

}  // namespace wm::user
