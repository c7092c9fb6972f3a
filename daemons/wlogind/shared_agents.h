// Role: starts the wuserd of a user who shares something, when one of those whom it is shared with
// asks for it: nobody has to be logged on for others to see what is shared.
//
//   bob's wuserd ──shares.sock──► wlogind ─► does a line of ann's file of shares name bob? ─► ann's
//
// The file is ann's own, and read by a process that is ann; wlogind believes nothing in it but
// names.
#pragma once

#include <string>
#include <vector>

#include "daemons/wlogind/agent_start.h"
#include "libwm/base/result.h"
#include "libwm/proc/accounts.h"

namespace wm::login {

/// Does a file of shares name this user, or a group of the user's ("@vision")? Pure. @cost
/// O(length)
bool shares_name(const std::string& text, const std::string& user,
                 const std::vector<std::string>& groups);

/// Starts the owner's wuserd if it does not run and a share of the owner's names `guest`.
/// @errors Denied: nothing is shared with the guest; Limit: it was started less than a minute ago;
/// as agent_of   @cost a process that is the owner's; blocks
Result<void> start_for_guest(const proc::Account& owner, const proc::Account& guest,
                             const AgentPlan& plan);

}  // namespace wm::login
