// Role: what a user's wuserd asks wlogind about another user, and is answered: structures of a
// fixed size, as login_words.h has them. The kernel says who asks.
//
//   ShareQuestion{owner}  ─► the owner's wuserd runs, or why not
#pragma once

#include "libwm/login/login_words.h"

namespace wm::rest {

/// The socket of wlogind where anybody may ask, in the folder of wuserds' sockets.
inline constexpr const char* kSharesSocket = "shares.sock";
/// Below an owner's results: a line for each account or @group that something is shared with.
inline constexpr const char* kSharesFile = "shares";

/// The user to start a wuserd of. Ends with a zero byte.
struct ShareQuestion {
  char owner[64] = "";
};

}  // namespace wm::rest
