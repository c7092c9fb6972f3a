// Role: is this password, or this API key, that user's? Runs in a process of its own that ends with
// the question: PAM's modules, and the user's file, are read nowhere else.
#pragma once

#include <sys/types.h>

#include <string>

#include "libwm/base/result.h"

namespace wm::login {

/// An account that may log on.
struct Account {
  std::string name, home;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// @errors Denied: no such account, or one of the system's (uid 0, or its name holds what no name
/// does)
Result<Account> find_account(const std::string& user);

/// What the user may do with a token: the scopes of the key, or all by password.
/// @errors Denied: it is not; the same words whatever was wrong   @cost PAM's; blocks
Result<std::string> check_secret(const Account& account, const std::string& secret,
                                 const char* service);

/// This process becomes the account for good. @errors System
Result<void> become(const Account& account);

}  // namespace wm::login
