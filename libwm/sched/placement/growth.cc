#include "libwm/sched/placement/growth.h"

#include <algorithm>

#include "libwm/sched/amounts/speeds.h"

namespace wm::sched {

// The host that it has all its tasks on, if `tasks` of them on several would not be faster than
// those that it can have there.
std::optional<std::uint32_t> Growth::only_host(const Claim& claim, const Placed& placed,
                                               std::int64_t tasks) const {
  if (!claim.gain.curve || placed.has.size() != 1 || !board_.places.packs(claim)) return {};
  auto [room, here] = *placed.has.begin();
  here += board_.places.fits(claim, room, When::Future, tasks - placed.tasks, placed.has);
  bool stays = here < tasks && !pays_apart(claim, static_cast<std::uint32_t>(here),
                                           static_cast<std::uint32_t>(tasks));
  return stays ? std::optional(room) : std::nullopt;
}

// Free ones. Of several hosts as many as are faster together, even if more are to follow.
std::vector<Share> Growth::places_to_grow(const Claim& claim, std::int64_t more,
                                          const Placed& placed) {
  auto shares = board_.places.choose(claim, more, false, placed.has);
  auto only = only_host(claim, placed, placed.tasks + total_of(shares));
  if (only) std::erase_if(shares, [&](const Share& share) { return share.room != *only; });
  return shares;
}

bool Growth::grow(Claim& claim) {
  Placed& placed = board_.placed[&claim];
  if (!claim.pending()) {
    placed.has = board_.rooms_of(*claim.job);
    placed.tasks = placed.ready = claim.now;
  }
  std::int64_t wanted = claim.target;
  bool waits = board_.promises.count(&claim) > 0;
  std::vector<Spot>& spots = claim.pending() && !waits ? placed.starts.front().tasks : placed.more;
  std::int64_t room = board_.gates.room(claim), ready = placed.ready;
  if (!waits && placed.tasks < wanted && room > 0) {
    std::int64_t more = std::min(room, wanted - placed.tasks);
    for (const Share& share : places_to_grow(claim, more, placed))
      board_.grant(claim, share, spots, placed);
    board_.gates.add(claim, placed.ready - ready, 0);
  }
  if (placed.tasks < wanted && (claim.resizes || waits)) {
    bool closed = board_.gates.room(claim) < wanted - placed.tasks;
    auto only = only_host(claim, placed, wanted);
    auto worth = only ? Positions{*only} : board_.places.worth_a_look(board_.donors.rooms());
    auto hosts = board_.places.near_hosts(claim, placed.has, worth);
    placed.tasks += promises_.promise(claim, wanted - placed.tasks, placed.has, hosts);
    if (closed) promises_.open_gate(claim, wanted - placed.ready);
  }
  if (placed.tasks >= wanted) return true;
  claim.max = std::max<std::uint32_t>(claim.min, static_cast<std::uint32_t>(placed.tasks));
  return false;
}

bool Growth::grow_class(bool gpu) {
  bool all = true;
  for (Claim& claim : board_.claims.all) {
    bool wants = claim.price.gpu == gpu && grows_beyond_start(claim) &&
                 claim.barred == Barred::No &&
                 claim.target > (claim.pending() ? claim.min : claim.now);
    if (wants) all = grow(claim) && all;
  }
  return all;
}

}  // namespace wm::sched
