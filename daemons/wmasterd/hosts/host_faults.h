// Role: what follows of words of a host about what it has left to do for a job that has ended, and
// about faults of its own. Part of hosts.h. Pure but for the log.
#pragma once

#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// The job's end may be told; nothing, where it was told without. @cost O(log jobs)
std::vector<EventBody> events_of_delivery(const Cluster& state, const FactDelivered& delivered);
/// What this host was to write for jobs that it does not know any more. @cost O(such jobs)
std::vector<EventBody> undelivered(const Cluster& state, HostId host, const HostRegister& words);
/// The host's own job has run there: it is opened, unless a person has closed it. @cost O(1)
std::vector<EventBody> events_of_probe(const Cluster& state, HostId host);
/// Logs an end by the host's fault where it would be closed if fewer were. @cost O(1)
void warn_of_faults(const Cluster& state, HostId host, const FactEnded& ended);

}  // namespace wm::master
