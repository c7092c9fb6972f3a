// Role: who comes to the guests' socket of a user's wuserd, and what may be asked there: other
// users' wuserd, which the kernel names (SO_PEERCRED), so that no token changes hands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Who asks.
struct Guest {
  std::string user;
  std::vector<std::string> groups;
};
/// @errors Denied: the account has no name; Unavailable: the name service fails
Result<Guest> guest_of(uid_t uid);

/// One row of what guests may ask.
struct GuestRow {
  std::string_view method, pattern;
  Result<Answer> (*answer)(Call& call, const Guest& guest);
};

/// Where that user's wuserd listens for guests. @errors NotFound: no such account
Result<std::string> guests_socket(const Site& site, const std::string& user);

/// The accounts that "bob" or "@vision" is: one, or those that a group lists. @errors NotFound
Result<std::vector<std::string>> accounts_of(const std::string& member);

}  // namespace wm::user
