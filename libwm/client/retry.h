// Role: when to try again, and when to tell the user that we still are, while the master does
// not answer. Pure: elapsed time and chance come in. Used by connection.cc.
#pragma once

#include <optional>

#include "libwm/base/units.h"

namespace wm::client {

/// How patient a command is.
struct RetryOptions {
  Duration first_delay = std::chrono::milliseconds(50);
  Duration longest_delay = std::chrono::seconds(2);  ///< delays double up to this
  Duration notice_after = std::chrono::seconds(1);   ///< a quick restart stays unmentioned
  Duration notice_every = std::chrono::seconds(30);
  std::optional<Duration> give_up_after;  ///< none: never, as LSF's commands
};

/// The next try.
struct Retry {
  Duration delay{};     ///< to wait before it
  bool notice = false;  ///< tell the user now
  bool operator==(const Retry&) const = default;
};

/// The tries of one request.
class RetryPlan {
 public:
  explicit RetryPlan(const RetryOptions& options) : options_(options) {}

  /// What to do after a try has failed; nothing: give up.
  /// @units elapsed: since the request began; chance: 0..1, spreads clients (delay × 0.5..1)
  std::optional<Retry> next(Duration elapsed, double chance);

 private:
  RetryOptions options_;
  Duration delay_{};  // of the try before; 0: none yet
  std::optional<Duration> noticed_at_;
};

}  // namespace wm::client
