// Role: lets claims grow from their minimum up to their target, once all minimums are placed, so
// that no job's fifth task takes the place of another's first. Called by placement.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libwm/sched/placement/board.h"
#include "libwm/sched/placement/promises.h"

namespace wm::sched {

/// Growth of this placing.
class Growth {
 public:
  Growth(Board& board, Promises& promises) : board_(board), promises_(promises) {}

  /// Every claim that counts in GPUs, or in slots alone. False: some were lowered to what they
  /// got. @cost O(claims + tasks x hosts)
  bool grow_class(bool gpu);

 private:
  bool grow(Claim& claim);
  std::optional<std::uint32_t> only_host(const Claim& claim, const Placed& placed,
                                         std::int64_t tasks) const;
  std::vector<Share> places_to_grow(const Claim& claim, std::int64_t more, const Placed& placed);

  Board& board_;
  Promises& promises_;
};

}  // namespace wm::sched
