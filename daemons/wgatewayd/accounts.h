// Role: in a private cluster, who may log on: the one account that the cluster is of, by the
// cluster's own key.
#pragma once

#include <string>

#include "libwm/base/result.h"
#include "libwm/login/credential.h"

namespace wm::gateway {

/// Compares names and keys in a time that tells nothing about them. @thread any
class Accounts {
 public:
  Accounts(std::string user, std::string key) : user_(std::move(user)), key_(std::move(key)) {}

  /// @errors Denied: the same words for a wrong name and a wrong key
  Result<void> check(const rest::Login& login) const;

 private:
  std::string user_, key_;
};

}  // namespace wm::gateway
