// Role: objects of the state as commands show them: pure functions of the published state
// and of what is known beside it.
#pragma once

#include "daemons/wmasterd/cycle.h"
#include "daemons/wmasterd/hosts.h"
#include "libwm/model/verbs.h"
#include "libwm/sched/past_use.h"

namespace wm::master {

/// What a view may look at.
struct Seen {
  const Cluster& state;
  const PendReasons& reasons;
  const Hosts& hosts;
  /// Made for the first pending job of a listing.
  mutable std::shared_ptr<const sched::FairOrder> order;
};

/// Calls `visit` with every job the selection means: an array's elements one by one, also
/// those still in its range (then job->id differs from the id given).
/// @shape visit(const Job&, JobId)   @cost O(jobs)
void each_selected(const Cluster& state, const JobSelection& selection, const std::string& caller,
                   const std::function<void(const Job&, JobId)>& visit);

/// One job for bjobs. `id` is the element's when `job` is its base.
JobView view_of(const Seen& seen, const Job& job, JobId id);
/// A queue with its slots by state. @cost O(jobs)
QueueView view_of(const Seen& seen, const QueueConf& queue);
/// A host with its jobs' slots. @cost O(jobs)
HostView view_of(const Seen& seen, const Host& host);

/// Ids of the selection that mean nothing. @cost O(ids)
std::vector<JobId> missing_ids(const Cluster& state, const JobSelection& selection);

/// The state of the job, or of an element still in its base's range.
JobState state_of(const Job& job, JobId id);

}  // namespace wm::master
