// Role: events about the master itself and its host's wall clock: alternatives of EventBody
// (event.h).
#pragma once

#include <cstdint>
#include <string>

#include "libwm/base/units.h"

namespace wm {

/// This store goes on where a newer one is lost; numbers of jobs and attempts go on above its.
struct TakenOver {
  std::uint32_t term = 0, last_job = 0;
  std::string by, why;
};

/// The wall clock was set: it shows `by` more than it would have. What is measured from instants
/// of before, of what has not ended, moves along with it. @units by: negative: it was set back
struct ClockStepped {
  Duration by{};
  bool waits = false;  ///< acts that cannot be undone wait from now on
};
/// They wait no more: an administrator says that the clock is right, or they have waited enough.
struct ClockTrusted {
  std::string by, why;
};

}  // namespace wm
