// Role: hosts with a router or a kernel of a service, which are listened to more closely than
// others, and what is given up on a host that is not heard. Pure. Called by hosts.cc.
//
//   task of a service, its host not heard for 3 s ─► TaskCondemned(HostLost) ─► another one is
//   started elsewhere under a new number; when the host comes back, the first one is told to end
//
// Everything else waits for its host (DESIGN §4).
#pragma once

#include <set>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::master {

/// How often a host that serves is heard at least.
inline constexpr Duration kServingBeat = std::chrono::seconds(1);
/// What serves on a host that was not heard for so long is given up.
inline constexpr Duration kServingSilence = std::chrono::seconds(3);

/// How often a host is to be heard. @cost O(1)
Duration beat_of(const Config& config, bool serves);

/// Hosts with a task of a service that is wanted there. @cost O(tasks of services)
std::set<HostId> serving_hosts(const Cluster& state);

/// Gives up what independent groups of services have there, with `all` of every job. Tasks that
/// leave, or were given up before, are left alone; so is what can go to no other host, which is
/// best off if its host comes back. @cost O(tasks of jobs there), and O(hosts) for each of those
/// jobs
std::vector<EventBody> given_up_on(const Cluster& state, const Host& host, bool all);

/// Where a router was lost and all the hosts that its successor may go to are full: a kernel of its
/// service on one of them is ended. Without a router it has nothing to do there.
/// @cost O(services), and O(hosts) for each that lacks a router
std::vector<EventBody> room_for_routers(const Cluster& state);

}  // namespace wm::master
