// Role: the run limit of an attempt and the warning before it, in the job's time (job_clock.h).
//
//   from ───────── limit − lead: warning ──── limit: end
//
// Both come once; another limit, counted from the moment it is set, sets both anew. If the warning
// was given and the new one would be late, there is none. Pure.
#pragma once

#include <optional>

#include "libwm/base/units.h"

namespace wm::shepherd {

/// See the head of this file. A value.
class RunLimit {
 public:
  /// Counts from `from`. @units from: the job's time; limit, lead: 0 is none
  void start(TimePoint from, Duration limit, Duration lead) {
    end_at_.reset(), warn_at_.reset();
    if (limit > Duration{}) end_at_ = from + limit;
    if (end_at_ && lead > Duration{}) warn_at_ = *end_at_ - lead;
    if (warned_ && warn_at_ && *warn_at_ <= from) warn_at_.reset();
  }
  /// True once, when it is time to warn. @units now: the job's time
  bool takes_warning(TimePoint now) {
    bool due = warn_at_ && *warn_at_ <= now;
    if (due) warn_at_.reset();
    warned_ = warned_ || due;
    return due;
  }
  /// True once, when the limit is reached. @units now: the job's time
  bool takes_end(TimePoint now) {
    bool due = end_at_ && *end_at_ <= now;
    if (due) end_at_.reset();
    return due;
  }
  /// When one of them is due next, in the job's time. @cost O(1)
  std::optional<TimePoint> next() const { return warn_at_ ? warn_at_ : end_at_; }

 private:
  std::optional<TimePoint> end_at_, warn_at_;
  bool warned_ = false;
};

}  // namespace wm::shepherd
