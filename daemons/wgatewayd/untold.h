// Role: log-offs that the master has not been told of yet, and when each is to be told. Pure: the
// time comes in. One user's wuserd that answers nothing delays that user's log-offs alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/backoff.h"
#include "libwm/base/units.h"
#include "libwm/login/token.h"

namespace wm::gateway {

/// A token that was logged off here.
struct LoggedOff {
  rest::Claims claims;
  std::string token;
};

/// See the head of this file. @thread one
class Untold {
 public:
  /// False: the user has too many already. @cost O(log n)
  bool add(LoggedOff one, TimePoint now);
  /// One of each user that is due, those that failed least first. @cost O(users)
  std::vector<LoggedOff> due(TimePoint now) const;
  /// It is known there, or will never be; the user's next is due. @cost O(log n)
  void told(const LoggedOff& one, TimePoint now);
  /// The user's are tried again later, each time twice as late, up to a minute. @cost O(log n)
  void failed(const LoggedOff& one, TimePoint now);
  /// When the next is due; none: there is none. @cost O(users)
  std::optional<TimePoint> next() const;

 private:
  struct OfUser {
    std::map<std::string, LoggedOff> by_id;
    TimePoint next{};
    std::uint32_t failures = 0;
    Backoff pauses;
  };
  std::map<std::uint32_t, OfUser> users_;
};

}  // namespace wm::gateway
