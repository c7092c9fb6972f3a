// Role: objects of the state as commands show them: pure functions of the published state
// and of what is known beside it.
#pragma once

#include "daemons/wmasterd/hosts/hosts.h"
#include "daemons/wmasterd/state/cycle.h"
#include "daemons/wmasterd/state/searches.h"
#include "daemons/wmasterd/verbs/selection.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/sched/demand/past_use.h"

namespace wm::master {

/// What a view may look at: values, so that views are made off the loop.
struct ViewSource {
  std::shared_ptr<const Cluster> state;
  std::shared_ptr<const PendReasons> reasons;
  Table<HostStanding> hosts;
  Frozen<Progress> progress;
  Frozen<Meetings> meetings;
  /// Made for the first pending job of a listing.
  mutable std::shared_ptr<const sched::FairOrder> order = nullptr;
  std::shared_ptr<const SearchWaits> waits = nullptr;  ///< null: none
};

/// One job for bjobs, as much of it as `info` says (All or Summary); made of what
/// libwm/view/sent.h lists. `id` is the element's when `job` is its base.
JobView view_of(const ViewSource& source, const Job& job, JobId id, JobInfo info);
/// Queues with their slots by state, those of these names or all, by falling priority.
/// @cost O(jobs + queues x names)
std::vector<QueueView> view_queues(const Cluster& state, const std::vector<std::string>& names);
/// The hosts asked for with their jobs' slots, by name; those that never registered, too.
/// `now`: by which reservations are active. @cost O(hosts (names + log hosts + reservations) +
/// tasks of the jobs on them)
std::vector<HostView> view_hosts(const ViewSource& source, const HostsRequest& asked, WallTime now);
/// Slots of the host that jobs of the reservation hold. @cost O(tasks on the host)
std::uint32_t used_of(const Cluster& state, const Reservation& what, HostId host);

}  // namespace wm::master
