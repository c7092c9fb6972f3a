#include "libwm/sched/placement/place_now.h"

#include <algorithm>
#include <numeric>

#include "libwm/sched/demand/claim_maker.h"
#include "libwm/sched/placement/place.h"

namespace wm::sched {

Result<Start> place_now(const Cluster& cluster, const Job& job, JobId id,
                        const std::vector<HostId>& hosts, WallTime now) {
  Claims claims(*cluster.config);
  cluster.hosts.each(
      [&](std::uint32_t, const Host& host) { claims.rooms.push_back(room_of(host)); });
  claims.switches = Switches(*cluster.config, claims.rooms);
  claims.ends.reset(claims.rooms.size());
  Job there = job;
  there.waits.only_hosts = hosts;
  Owners owners;
  Claim claim = ClaimMaker(cluster, now, claims, owners).claim(there);
  Positions all(claims.rooms.size());
  std::iota(all.begin(), all.end(), 0u);
  claims.tally.update(claims.rooms, all, claims.requests);
  Places places(claims, static_cast<std::uint32_t>(claims.rooms.size()));
  auto shares = places.choose(claim, claim.min, true, {});
  if (shares.empty())
    return fail(Code::Impossible, "its " + std::to_string(claim.min) +
                                      (claim.min == 1 ? " task does" : " tasks do") +
                                      " not fit on these hosts as they are now");
  Start start{id, {}, claim.alternative, job.revision};
  for (const Share& share : shares) {
    auto spots = places.take(claim, share, {});
    start.tasks.insert(start.tasks.end(), spots.begin(), spots.end());
  }
  return start;
}

}  // namespace wm::sched
