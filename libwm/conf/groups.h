// Role: groups of users and hosts that a site's own command tells of (groups_command of wm.conf),
// beside those of users.conf and hosts.conf. Pure.
#pragma once

#include <string_view>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"

namespace wm::conf {

/// Adds what the lines say to `config`: "user NAME: ann bob" and "host NAME: h1 h2"; blank lines
/// and comments say nothing. A user who is not in users.conf is as its [default]; hosts that
/// hosts.conf does not list are left out.
/// @errors BadArgument: a line that is none; then nothing was added   @cost O(text log config)
Result<void> add_groups(Config& config, std::string_view text);

}  // namespace wm::conf
