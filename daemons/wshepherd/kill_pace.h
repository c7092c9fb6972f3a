// Role: how often what does not die is killed again. A process that waits in the kernel, on a dead
// file server say, takes no signal for hours: trying without pause costs a core for as long. What
// is new, as under a fork bomb, is killed at once. Pure: the caller brings the clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "libwm/base/units.h"

namespace wm::shepherd {

/// From one round of SIGKILL to the next: kFirst, then twice as long each time up to kLongest, from
/// the start again when somebody appears who was not there before.
class KillPace {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(3);
  static constexpr Duration kLongest = std::chrono::seconds(1);

  /// Whether these are to be killed now; the next round is then due after the pause.
  /// @cost O(n log n) in the pids of two calls
  bool is_due(std::vector<int> pids, TimePoint now) {
    std::sort(pids.begin(), pids.end());
    bool any_new = !std::includes(known_.begin(), known_.end(), pids.begin(), pids.end());
    known_ = std::move(pids);
    if (!any_new && now < next_) return false;
    pause_ = any_new ? kFirst : std::min(pause_ * 2, kLongest);
    next_ = now + pause_;
    return true;
  }
  /// When the next round is due, if nobody is gone by then. @cost O(1)
  TimePoint next() const { return next_; }

 private:
  std::vector<int> known_;  ///< rising
  Duration pause_ = kFirst;
  TimePoint next_{};
};

}  // namespace wm::shepherd
