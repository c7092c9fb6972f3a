// Role: tells when the wall clock was set, by comparing it with the clock of the boot, which never
// steps; and says how long acts that cannot be undone wait after that. Pure: readings come in as
// arguments, from the rim. Used by daemons/wmasterd/state/journal.cc.
//
//   look(wall, boot) ─► difference to the last look ─► 1 s and more: a step, to become an event
//                                                  └─► 1 min and more: deeds wait, 5 min at most
//
// Deeds wait no longer once steps have cancelled each other out, or somebody trusts the clock. A
// clock that is set again and again holds nothing up for more than 5 minutes altogether: the
// allowance is whole again after an hour without a step.
#pragma once

#include <optional>

#include "libwm/base/units.h"

namespace wm {

/// What two clocks say at one moment.
struct ClockReading {
  WallTime wall;
  TimePoint boot;  ///< CLOCK_BOOTTIME
};

/// From this on a step of the wall clock is one: less is taken for a correction of its speed.
inline constexpr Duration kClockStep = std::chrono::seconds(1);
/// From this on deeds wait for it.
inline constexpr Duration kLongClockStep = std::chrono::minutes(1);

/// A value. @thread one at a time
class ClockWatch {
 public:
  /// By how much the wall clock was set since the last look, 0 at the first.
  /// @units whole seconds, towards zero   @cost O(1)
  Duration look(const ClockReading& now);
  /// Do acts that cannot be undone wait? @cost O(1)
  bool holds(TimePoint boot) const { return boot < held_until_; }
  /// Somebody says that the clock is right: nothing waits.
  void trust(TimePoint boot);
  /// By how much it was set in all, back and forward together. @units s
  double steps_s() const { return steps_s_; }

 private:
  void hold(Duration step, TimePoint boot);

  std::optional<ClockReading> last_;
  double steps_s_ = 0;
  TimePoint held_since_{}, held_until_{};  // equal: nothing waits
  Duration net_{};                         // of the steps since held_since_
  Duration spent_{};                       // of the allowance, by waits that have ended
  std::optional<TimePoint> stepped_;       // the last long step
};

}  // namespace wm
