// Role: when to try again, and when to tell the user that we still are, while the master does
// not answer. Pure: elapsed time and a seed come in. Used by connection.cc.
#pragma once

#include <optional>

#include "libwm/base/backoff.h"
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
  /// `seed` spreads clients that failed at once.
  RetryPlan(const RetryOptions& options, std::uint64_t seed)
      : options_(options), pauses_(options.first_delay, options.longest_delay, seed) {}

  /// What to do after a try has failed; nothing: give up. @units elapsed: since the request began
  std::optional<Retry> next(Duration elapsed);

 private:
  RetryOptions options_;
  Backoff pauses_;
  std::optional<Duration> noticed_at_;
};

}  // namespace wm::client
