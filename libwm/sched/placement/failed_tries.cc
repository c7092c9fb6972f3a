#include "libwm/sched/placement/failed_tries.h"

namespace wm::sched {

// HostCapacities only get smaller during a placing: what failed once fails again.
bool FailedTries::is_hopeless(const Claim& claim) const {
  // What kept others out is kept for it.
  if (board_.held.keeps(claim) || claim.reserved) return false;
  auto it = failed_.find(claim.request);
  return it != failed_.end() && claim.min >= it->second.tasks &&
         end_if_started(claim) >= it->second.until;
}

WallTime FailedTries::end_if_started(const Claim& claim) const {
  return window_from(board_.clock.now, claim.limit).until;
}

// One that asks for less in one way and more in the other is not remembered.
void FailedTries::remember(const Claim& claim) {
  if (claim.reserved) return;
  // While nothing is held for anybody, a shorter one fails as well.
  bool always = !board_.held.any();
  Failed now{claim.min, always ? WallTime::min() : end_if_started(claim)};
  auto [it, is_new] = failed_.try_emplace(claim.request, now);
  Failed& known = it->second;
  if (!is_new && now.tasks <= known.tasks && now.until <= known.until) known = now;
}

// Bars claims that ask for what has just failed: the next round need not admit them to fail again.
void FailedTries::bar_hopeless() {
  for (Claim& claim : board_.claims.all) {
    bool waits = claim.pending() && claim.barred == Barred::No && claim.admitted == 0;
    if (!waits || claim.parked || !is_hopeless(claim)) continue;
    claim.barred = Barred::Unplaced;
    claim.floor = 0;
  }
}

}  // namespace wm::sched
