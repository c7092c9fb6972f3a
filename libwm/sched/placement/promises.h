// Role: places that are not free yet: what a claim waits for is coming already, or is made to come
// by tasks of donors that leave. What is promised to one is promised to nobody else.
#pragma once

#include <cstdint>
#include <vector>

#include "libwm/sched/placement/board.h"

namespace wm::sched {

/// Promises of this placing.
class Promises {
 public:
  explicit Promises(Board& board) : board_(board) {}

  /// Reserves up to `tasks` places of what is free, coming, or can be made to come; says how
  /// many. The claim waits for those that are not free. @cost O(tasks x hosts)
  std::int64_t promise(const Claim& claim, std::int64_t tasks, TasksByRoom& has,
                       const std::vector<std::uint32_t>& hosts);
  /// All `tasks` of a newcomer on these hosts, or none. @cost as promise
  bool promise_on(Claim& claim, std::int64_t tasks, const std::vector<std::uint32_t>& hosts);
  /// The minimum of a newcomer wherever there is room to come. @cost as promise, each set of hosts
  bool promise_start(Claim& claim);
  /// A limit keeps it out: those above their target that count against it leave. @cost O(claims)
  void open_gate(Claim& claim, std::int64_t tasks);
  /// Tasks that are to come under its limits: of claims for which others leave, and of those that
  /// hold places at a date. @cost O(promises + holders)
  std::int64_t awaited_beside(const Claim& claim) const;

 private:
  Board& board_;
};

}  // namespace wm::sched
