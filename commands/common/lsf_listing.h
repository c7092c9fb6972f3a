// Role: settings by their LSF names as showconf prints them: lsadmin and badmin.
#pragma once

#include <span>
#include <string>

#include "libwm/conf/lsf_conf.h"

namespace wm::cmd {

/// Where the configuration and this program are. @cost reads one link
conf::LsfPlaces lsf_places();

/// "LIM configuration at <dir>", then "  NAME = value" a line. `daemon`: "LIM", "MBD" …
/// @source LSF: lsadmin showconf, badmin showconf
std::string lsf_listing(const std::string& daemon, std::span<const conf::LsfSetting> settings);

}  // namespace wm::cmd
