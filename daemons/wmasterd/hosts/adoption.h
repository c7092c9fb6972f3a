// Role: which jobs that run on hosts, and that a restored state does not know, become jobs of it
// again, and by which events. Pure.
//
// A state that is brought back from a copy knows nothing of what was submitted since; hosts still
// have what its owner signed, and what they were ordered.
#pragma once

#include <span>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// Was this job begun under the state that an administrator gave up for this one (TakenOver)? Not
/// one that this state has known and forgotten: that would run twice. @cost O(log jobs)
bool is_lost(const Cluster& state, JobId job);

/// Of which attempts of a host the state is to be told: those of lost jobs. @cost O(attempts log
/// jobs)
std::vector<AttemptStatus> lost_attempts(const Cluster& state, const HostRegister& words);

/// Can what its host says of it be a job again? @errors Conflict: there are parts of it that nobody
///   can tell of (an element, a group); it comes and goes task by task, or is ending
Result<void> check_adoptable(const HostOrder& order);

/// What one of its hosts says: its registration and the order that it follows.
struct SaidOf {
  const HostRegister* host = nullptr;
  const HostOrder* order = nullptr;
};

/// Does the attempt run on these hosts alone? @cost O(hosts of the job)
bool are_all_hosts(std::span<const SaidOf> said);

/// The events by which it is a job again, in the state in which it is: submitted, dispatched,
/// started. Without its files it cannot start anew, so it does not. All hosts are registered.
/// @errors Conflict: hosts that contradict each other, or are not known   @cost O(tasks log tasks)
Result<std::vector<EventBody>> adoption_of(const Cluster& state, std::span<const SaidOf> said);

}  // namespace wm::master
