// Role: how a running job makes way for another of a higher queue, as the job remembers it.
// Values only; decided in libwm/sched/placement/preempt.h, carried out in libwm/fsm.
#pragma once

#include <string>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm {

/// An attempt that makes way for a job of a higher queue.
struct Preempted {
  JobId by;             ///< for whom; 0: for nobody, a person wants the job to wait again
  WallTime leave_by{};  ///< killed after this
  bool requeue = true;  ///< back to pending, else it ends
  std::string text;     ///< for people
  bool hold = false;    ///< back to held instead of pending
  /// Was it asked for by a person, not to let another job run? @cost O(1)
  bool for_nobody() const { return by == JobId{}; }
  bool operator==(const Preempted&) const = default;
};

/// A job that was stopped to make way for another: its processes and its memory are there, its
/// slots are others' until it goes on.
struct Parked {
  JobId by;          ///< for whom
  std::string text;  ///< for people
  bool operator==(const Parked&) const = default;
};

}  // namespace wm
