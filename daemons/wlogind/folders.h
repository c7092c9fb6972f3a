// Role: the two folders of wlogind's: sockets, which end with the machine, and keys, which outlive
// it. Both are what nobody but root can have put there: who could replace one would choose who
// signs tokens.
//
//   FOLDER/login.sock, UID.sock …    STATE/token.seed, token.pub    FOLDER/token.* ─link─► STATE
#pragma once

#include <string>

#include "libwm/base/result.h"

namespace wm::login {

/// Makes both where they are missing, checks them, and moves keys of an earlier version, which lie
/// in `folder`, to `state`. `folder` may be `state`.
/// @errors Denied: one is another's, or below a folder that others can change; System
Result<void> own_folders(const std::string& folder, const std::string& state);

}  // namespace wm::login
