// Role: in a private cluster, who may log on: the one account that the cluster is of, by the
// cluster's own key. Attempts that fail are counted, so that nobody tries keys by the thousand.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/login/credential.h"

namespace wm::gateway {

/// How often one address may fail as one user within a minute. Pure. @thread one
class Attempts {
 public:
  explicit Attempts(std::uint32_t most = 5) : most_(most) {}
  /// May it try again? @cost O(log n)
  bool may(const std::string& who, TimePoint now);
  void failed(const std::string& who, TimePoint now);
  /// Of who may not try again: true once a minute. @cost O(log n)
  bool is_first_refusal(const std::string& who);

 private:
  struct Count {
    TimePoint since{};
    std::uint32_t failures = 0;
    bool refused = false;
  };
  std::uint32_t most_;
  std::map<std::string, Count> counts_;
};

/// Compares names and keys in a time that tells nothing about them. @thread any
class Accounts {
 public:
  Accounts(std::string user, std::string key) : user_(std::move(user)), key_(std::move(key)) {}

  /// @errors Denied: the same words for a wrong name and a wrong key; Limit: too many failures
  Result<void> check(const rest::Login& login, const std::string& address, TimePoint now);

 private:
  std::string user_, key_;
  std::mutex mutex_;
  Attempts attempts_;
};

}  // namespace wm::gateway
