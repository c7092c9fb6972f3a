// Role: starts the wuserd of a user, under that user's account, with a socket made in a folder that
// is root's: nobody but root can put another in its place.
#pragma once

#include <string>

#include "daemons/wlogind/check.h"

namespace wm::login {

/// What a wuserd is started with.
struct AgentPlan {
  std::string program, conf, folder;  ///< folder: of sockets and of the public key
  std::string web_user;
  uid_t web_uid = 0;
};

/// The socket of the user's wuserd, which listens there; it is started if it does not run.
/// @errors System
Result<std::string> agent_of(const proc::Account& account, const AgentPlan& plan);

}  // namespace wm::login
