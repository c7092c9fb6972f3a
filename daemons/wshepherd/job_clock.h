// Role: the time a job has: it stands while the job is suspended, so that no limit passes then.
//
//   steady clock  ──────────────────────────────►
//   job's clock   ──────┐ stopped   ┌───────────►   behind by all the time it stood
//                       └───────────┘
//
// Pure: the caller brings the steady time. Times of both clocks are TimePoints; what is kept in
// the job's says so.
#pragma once

#include <optional>

#include "libwm/base/units.h"

namespace wm::shepherd {

/// See the head of this file. A value.
class JobClock {
 public:
  bool stopped() const { return stopped_at_.has_value(); }
  /// Stops it; one that stands goes on standing. @units now: steady
  void stop(TimePoint now) {
    if (!stopped_at_) stopped_at_ = now;
  }
  void go(TimePoint now) {
    if (stopped_at_) stood_ += now - *stopped_at_;
    stopped_at_.reset();
  }
  /// Its time at `now` of the steady clock. @cost O(1)
  TimePoint at(TimePoint now) const { return stopped_at_.value_or(now) - stood_; }
  /// When it will show `time`, by the steady clock; none while it stands. @cost O(1)
  std::optional<TimePoint> steady(TimePoint time) const {
    if (stopped()) return std::nullopt;
    return time + stood_;
  }

 private:
  std::optional<TimePoint> stopped_at_;
  Duration stood_{};
};

}  // namespace wm::shepherd
