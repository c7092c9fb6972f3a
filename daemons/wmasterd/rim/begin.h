// Role: what wmasterd does before it reads its state: it becomes master_user, has the folders
// that are its own, and refuses a state that lies where an earlier version kept it.
// Called by main.cc.
#pragma once

#include <string>

#include "libwm/base/result.h"
#include "libwm/conf/folders.h"

namespace wm::master {

/// Makes the folders where they are missing (mode 0750, of `user`) and, started as root, goes
/// on as `user` with its groups. If `user` is empty, goes on as the account that started it.
/// @errors NotFound: no such account; Denied: started by neither root nor `user`, which clients
///         and hosts would refuse; System: a folder cannot be made
/// @thread before any other starts
Result<void> begin_as(const std::string& user, const conf::MasterFolders& folders);

/// @errors Conflict: the state of an earlier version lies in `state_dir` itself and none in
///         `folders.state`: to start with nothing would lose every job
Result<void> check_state_place(const std::string& state_dir, const conf::MasterFolders& folders);

}  // namespace wm::master
