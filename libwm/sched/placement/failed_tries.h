// Role: what found no place in this placing, so that the same is not tried again: rooms only get
// smaller while claims are placed.
#pragma once

#include <cstdint>
#include <map>

#include "libwm/sched/placement/board.h"

namespace wm::sched {

/// Failures by request.
class FailedTries {
 public:
  explicit FailedTries(Board& board) : board_(board) {}

  /// Asks it for as much as what failed before, for as long? @cost O(log requests)
  bool is_hopeless(const Claim& claim) const;
  /// It found no place now. @cost O(log requests)
  void remember(const Claim& claim);
  /// Bars those that wait and ask for what failed. @cost O(claims log requests)
  void bar_hopeless();

 private:
  struct Failed {
    std::int64_t tasks;  // that found no place,
    WallTime until;      // for so long
  };
  WallTime end_if_started(const Claim& claim) const;

  Board& board_;
  std::map<std::uint32_t, Failed> failed_;  // by request: the least that failed
};

}  // namespace wm::sched
