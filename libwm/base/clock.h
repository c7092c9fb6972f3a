// Role: what the clocks say: the one place that asks them, at the rim. Logic takes the time as an
// argument: check_layers refuses this header in pure folders.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

#include "libwm/base/units.h"

namespace wm {

/// The time of day, which may be set, forth and back. @thread any   @cost 30 ns
inline WallTime wall_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}
/// The same. @units whole seconds since 1970   @thread any
inline std::int64_t now_s() {
  return std::chrono::floor<std::chrono::seconds>(wall_now()).time_since_epoch().count();
}
/// The clock of timers and time-outs: it never steps, and stands while the machine sleeps.
/// @thread any   @cost 30 ns
inline TimePoint steady_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}
/// The clock by which the kernel dates processes: it never steps, and goes on while the machine
/// sleeps. Compared with nothing of steady_now. @thread any   @source clock_gettime(2)
inline TimePoint boot_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return TimePoint(std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec / 1000));
}

}  // namespace wm
