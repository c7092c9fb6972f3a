#include "daemons/wgatewayd/accounts.h"

#include "libwm/base/hash.h"

namespace wm::gateway {
namespace {

// Of their hashes, which are equally long.
bool same(const std::string& a, const std::string& b) {
  return same_secret(hash_of(a), hash_of(b));
}

}  // namespace

Result<void> Accounts::check(const rest::Login& login) const {
  bool user_fits = same(login.user, user_), key_fits = same(login.password, key_);
  if (user_fits && key_fits) return {};
  return fail(Code::Denied, "user name and password do not fit");
}

}  // namespace wm::gateway
