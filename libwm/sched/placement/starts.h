// Role: starts pending claims in order: alone, together with the other groups of their job, an
// elastic newcomer with GPUs as far as it goes on one host. One that finds no place is promised
// some, or holds a date. Called by placement.cc.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "libwm/sched/placement/board.h"
#include "libwm/sched/placement/failed_tries.h"
#include "libwm/sched/placement/promises.h"

namespace wm::sched {

/// Starts of this placing.
class Starts {
 public:
  Starts(Board& board, Promises& promises) : board_(board), promises_(promises), failed_(board) {}

  /// Every pending claim, up to its minimum. False: some were lowered or barred, as they found no
  /// place. @cost O(claims + granted tasks x hosts looked at + promised tasks x hosts)
  bool start_in_order();
  /// As Placement::start_spare.
  bool start_spare(Claim& claim);
  /// What pending claims were given and nobody could use. @cost O(users)
  Units unused(bool gpu) const;
  /// What is kept free for parked jobs is offered to those that go before them, or kept again.
  /// @cost O(parked jobs x their rooms)
  void offer_kept(bool offered);

 private:
  bool start_or_hold(Claim& claim);
  bool start_or_hold_gang(const std::vector<Claim*>& gang);
  bool start_together(const std::vector<Claim*>& gang);
  bool promise_together(const std::vector<Claim*>& gang);
  void hand_down(Claim& claim);
  void give_up(Claim& claim, std::uint32_t placed);
  bool start_all(Claim& claim);
  bool go_on(Claim& claim);
  bool go_on_or_hold(Claim& claim);
  bool start_now(Claim& claim);
  std::int64_t on_first_host(const Claim& claim);
  bool start_on_one_host(Claim& claim);
  bool start_on_one_host(Claim& claim, std::int64_t tasks, bool gently);
  void start_at(Claim& claim, const std::vector<Share>& shares);

  Board& board_;
  Promises& promises_;
  FailedTries failed_;
  std::vector<std::pair<const Claim*, TasksByRoom>> kept_;  // for parked ones that wait
  std::map<std::pair<int, bool>, Units> unused_;            // by user and class (GPUs)
  std::map<std::uint32_t, std::int64_t> widest_;            // by request: most GPUs of a host
  // By request, and whether gently: the least tasks for which no host could be cleared.
  std::map<std::pair<std::uint32_t, bool>, std::int64_t> scattered_;
};

}  // namespace wm::sched
