// Role: which slots an advance reservation gets: on hosts in order, as far as others leave them at
// its times. Pure. Called by the master for brsvadd and brsvmod.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/cluster.h"

namespace wm::sched {

/// What is asked for.
struct AsideWish {
  std::vector<HostId> hosts;  ///< that may be taken, in order
  std::uint32_t amount = 0;   ///< slots, or hosts; 0: all slots of every host named
  bool whole_hosts = false;
};

/// Can both be active at a time? @cost O(windows squared)
bool meet_in_time(const Reservation& a, const Reservation& b, const ClockSteps& clock);

/// Slots of the host that no other reservation keeps at the times of this one, by name another.
/// @cost O(reservations)
std::uint32_t unreserved(const Cluster& cluster, const Reservation& what, const Host& host);

/// The places it gets. @errors Impossible: not so many slots; names what there is
/// @cost O(hosts x reservations)
Result<std::vector<PromisedPlace>> set_aside(const Cluster& cluster, const Reservation& what,
                                             const AsideWish& wish);

/// Jobs that may still hold what it keeps when it begins: by their run limits, or without one.
/// @cost O(jobs on its hosts)
std::vector<JobId> in_the_way(const Cluster& cluster, const Reservation& what, WallTime now);

}  // namespace wm::sched
