// Role: starts the wuserd of a user, under that user's account, with a socket made in a folder that
// is root's: nobody but root can put another in its place.
#pragma once

#include <string>

#include "daemons/wlogind/agent_start.h"
#include "libwm/files/fd.h"

namespace wm::login {

/// The socket of the user's wuserd, which listens there; it is started if it does not run.
/// @errors System; Denied: its lock is no file of root's
Result<std::string> agent_of(const proc::Account& account, const AgentPlan& plan);
/// Does it run? @cost a lock
bool agent_runs(const proc::Account& account, const AgentPlan& plan);

}  // namespace wm::login
