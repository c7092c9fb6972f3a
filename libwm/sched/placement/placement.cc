#include "libwm/sched/placement/placement.h"

namespace wm::sched {

bool Placement::run() {
  board_.donors.release_above_limit(board_.claims.all);
  board_.donors.release_apart(board_.claims.all, board_.clock.now);
  board_.held.keep(board_.places);
  bool all = starts_.start_in_order();
  board_.held.let_grow();
  // GPU jobs first: a slot beside a free GPU is worth more to them.
  all = growth_.grow_class(true) && all;
  return growth_.grow_class(false) && all;
}

const std::vector<DatedStart>& Placement::date(const std::vector<const Claim*>& waiting) {
  board_.held.estimate(waiting, board_.places);
  return board_.held.dates();
}

}  // namespace wm::sched
