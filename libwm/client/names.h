// Role: accounts and host names without the C library's name service, so that commands can be
// linked statically and start three times as fast: /etc/passwd and /etc/hosts are read here,
// everything else (LDAP, DNS …) is asked of getent(1), which comes with the C library.
// Used by master.cc, socket.cc and bsub.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::client {

/// An account as passwd(5) has it.
struct Account {
  std::string name, home;
  std::uint32_t uid = 0;
};

/// The account of that name, or with that uid written as a number.
/// @errors NotFound: no such account   @cost one read; about 2 ms more where getent is asked
Result<Account> find_account(const std::string& name_or_uid);

/// Addresses of a host, numeric, in the order in which to try them. A numeric one is itself.
/// @errors NotFound: unknown host   @cost as find_account, and what the name service takes
Result<std::vector<std::string>> find_addresses(const std::string& host);

}  // namespace wm::client
