// Role: which of a job's processes have not come to where they meet. Pure: the state and what the
// job's first host sees.
#pragma once

#include <string>

#include "libwm/model/cluster.h"
#include "libwm/model/meeting.h"

namespace wm::master {

/// As meeting_text(): of tasks, or of hosts where a launcher runs once a host. Empty: nobody is
/// missing, or there is no such meeting now. @cost O(tasks log hosts + callers)
std::string missing_text(const Cluster& cluster, const Job& job, const Rendezvous& meeting);

}  // namespace wm::master
