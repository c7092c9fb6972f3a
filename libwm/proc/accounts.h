// Role: accounts and groups as this host's name service has them. A service that does not answer is
// another thing than an account that is not there: what depends on the latter is never done because
// of the former.
// Invariant: every look-up has a buffer of its own, so any thread may ask.
// @source getpwnam_r(3), getgrnam_r(3), getgrouplist(3)
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::proc {

/// An account.
struct Account {
  std::string name, home, shell;
  uid_t uid = 0;
  gid_t gid = 0;
};

/// @errors NotFound: there is none; Unavailable: the name service failed, with its words
/// @thread any   @cost what the name service takes: seconds, if it is remote and sick
Result<Account> account(uid_t uid);
Result<Account> account(const std::string& name);

/// A group: its number, and the accounts that it lists (not those of which it is the first group).
struct Group {
  std::string name;
  gid_t gid = 0;
  std::vector<std::string> members;
};
/// @errors, @thread, @cost as account
Result<Group> group(gid_t gid);
Result<Group> group(const std::string& name);

/// All groups of the account, its first one among them. @thread any   @cost as account
std::vector<gid_t> groups_of(const Account& account);

/// From now on this process is the account's, with its groups, for good.
/// @errors System: not as root, or a limit of its processes   @thread one, before others start
Result<void> become(const Account& account);

/// What a look-up that ended with errno `error` and without an entry means. `what`: "account 'x'".
Error not_looked_up(int error, const std::string& what);

}  // namespace wm::proc
