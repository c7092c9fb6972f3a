// Role: tokens of the web door that are good no more, as the master keeps them and tells them to
// doors. Values only.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm {

/// How long a token lives. @units seconds
inline constexpr std::int64_t kTokenLife = 8 * 3600;

/// Tokens that are revoked, each until it would have ended anyway.
struct Revocations {
  /// All of one user's that were issued up to `before`, in the same second too.
  struct OfUser {
    WallTime before{}, until{};
    bool operator==(const OfUser&) const = default;
  };
  std::map<std::string, WallTime> ids;  ///< a token's id → until
  std::map<std::string, OfUser> users;
  Seq changed;  ///< the event that made it so; 0: there was none
  bool operator==(const Revocations&) const = default;

  /// Is this token good no more? @units issued: seconds since the epoch   @cost O(log n)
  bool hold(const std::string& id, const std::string& user, std::int64_t issued) const {
    if (ids.contains(id)) return true;
    auto found = users.find(user);
    if (found == users.end()) return false;
    using std::chrono::floor;
    using std::chrono::seconds;
    return issued <= floor<seconds>(found->second.before.time_since_epoch()).count();
  }
};

}  // namespace wm
