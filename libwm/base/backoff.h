// Role: how long to wait before the next try of something that failed: twice as long each time, up
// to a bound, and each a little off, so that many who failed at once do not come back at once.
// Who waits by a timer asks for the pause; who has a thread to itself sleeps here.
#pragma once

#include <cstdint>

#include "libwm/base/units.h"

namespace wm {

/// The pauses between tries. The same seed gives the same pauses. @thread one at a time
class Backoff {
 public:
  /// @units first: before the second try, above 0; most: what it grows to   seed: random_number()
  Backoff(Duration first, Duration most, std::uint64_t seed);

  /// The next pause, within 10 % of what it stands at; it stands at twice as much afterwards, or at
  /// `most`. @cost O(1)
  Duration next();
  /// It went well: the next pause is the first again. @cost O(1)
  void reset() { stands_at_ = first_; }
  /// Sleeps for the next pause.
  void sleep();

 private:
  Duration first_, most_, stands_at_;
  std::uint64_t random_;
};

}  // namespace wm
