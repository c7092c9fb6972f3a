// Role: is this password, or this API key, that user's? Runs in a process of its own that ends with
// the question: PAM's modules, and the user's file, are read nowhere else.
#pragma once

#include <optional>
#include <string>

#include "daemons/wlogind/grant.h"
#include "libwm/base/result.h"
#include "libwm/proc/accounts.h"

namespace wm::login {

/// How PAM is asked.
struct PamService {
  std::string name;    ///< the file in `folder` with its rules
  std::string folder;  ///< empty: the system's, /etc/pam.d
};

/// May an account have this name? Letters, digits and "_-.@", no "-" first. @cost O(name)
bool is_plain_name(const std::string& name);

/// @errors Denied: no such account, or one of the system's (uid 0, or its name holds what no name
/// does); Unavailable: the name service failed
Result<proc::Account> find_account(const std::string& user);

/// May the account be used, as PAM's account management says? @cost PAM's; blocks
bool is_usable(const proc::Account& account, const PamService& service);

/// What the user may do with a token, and until when: what the key says, or all by password. An
/// account that is locked or has expired may do nothing, whatever it shows: account management is
/// asked of PAM. Without an account (none of that name, or one that may not) PAM is asked all the
/// same, about a name that nobody has.
/// @errors Denied: it is not; the same words whatever was wrong   @cost PAM's; blocks
Result<Grant> check_secret(const std::optional<proc::Account>& account, const std::string& secret,
                           const PamService& service);

}  // namespace wm::login
