// Role: names of accounts, remembered for a while: each connection asks for one, and the name
// service may be another machine. An account that is renamed, made or removed is known within
// kNameLife.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::master {

/// How long a name is believed without asking again.
inline constexpr Duration kNameLife = std::chrono::minutes(5);

/// The name of an account, asked of the name service.
/// @errors NotFound: no such account; System: the service could not say   @cost may block
Result<std::string> look_up_user(std::uint32_t uid);

/// Names that were found lately. @thread any
class UserNames {
 public:
  using LookUp = std::function<Result<std::string>(std::uint32_t)>;
  explicit UserNames(LookUp look_up) : look_up_(std::move(look_up)) {}

  /// Name of the account, "#UID" of one without. Only names are remembered, and one that has grown
  /// old is still used while the service cannot say. @cost O(log names), or as look_up
  std::string of(std::uint32_t uid, TimePoint now);
  /// The same without asking anybody. @cost O(log names)
  std::optional<std::string> known(std::uint32_t uid, TimePoint now) const;

 private:
  struct Known {
    std::string name;
    TimePoint since;
  };
  LookUp look_up_;
  mutable std::mutex mutex_;  // of known_; never held while somebody is asked
  std::map<std::uint32_t, Known> known_;
};

}  // namespace wm::master
