// Role: when the tasks of running jobs will be gone at the latest, by their run limits: room by
// room, and all of them in order of time. Kept from pass to pass (memory.h): a pass adds and
// removes those of jobs that started or ended, and looks at the first dates only (skyline.h).
// Dates are those of the limits: what should have ended by now is still in it.
//
// Invariants: a task without a date is not in it; the tasks that an elastic job can be asked to
// give back have the date kAtOnce.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "libwm/model/cluster.h"

namespace wm::sched {

/// A span of time. @units until: WallTime::max() = for ever
struct Window {
  WallTime from{};
  WallTime until = WallTime::max();
};

/// The window of `length` from an instant on; length 0: for ever. @cost O(1)
Window window_from(WallTime from, Duration length);

/// A task that will be gone.
struct End {
  WallTime at{};
  const Job* job = nullptr;
  const Task* task = nullptr;
};

/// Of a task that its job can spare.
inline constexpr WallTime kAtOnce = WallTime::min();

/// Ends of running tasks.
class Ends {
 public:
  /// The rooms that there are, nothing in them. @cost O(rooms)
  void reset(std::size_t rooms);
  /// @cost O(ends in the room + log dates)   @owns borrows job and task
  void add(std::uint32_t room, const End& end);
  /// What was added for that task. @cost as add
  void remove(std::uint32_t room, const Task& task);
  /// In order of time. @cost O(1)   @owns borrowed
  const std::vector<End>& of(std::uint32_t room) const { return rooms_[room]; }
  /// A time, and a room in which something ends then. @shape each pair once, rising
  using Dates = std::set<std::pair<WallTime, std::uint32_t>>;
  const Dates& dates() const { return dates_; }

 private:
  std::vector<std::vector<End>> rooms_;
  Dates dates_;
};

}  // namespace wm::sched
