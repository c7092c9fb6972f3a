// Role: how the groups of one job stand to each other (TaskGroup in job.h). Pure readers, for the
// machine and the scheduler.
#pragma once

#include <vector>

#include "libwm/model/cluster.h"

namespace wm {

/// Visits the elements of a job with groups, in its order. @shape void visit(const Job&)
/// @cost O(groups)
template <class Visit>
void each_group(const Cluster& cluster, const Job& job, Visit visit) {
  const Job& base = *cluster.jobs.find(job.id.job);
  for (std::uint32_t p = 0; p < element_count(base.spec()); ++p)
    if (const Job* group = cluster.elements.find(base.elements.first + p)) visit(*group);
}

/// With how few tasks it may go on: 0 of an independent group with minimum 0, which waits then.
/// @cost O(1)
std::uint32_t least_tasks(const Job& job);

/// May the element start, as far as the others go? Groups that live with the job wait until all of
/// them wait; independent ones until all of those run. True for any other job. @cost O(groups)
bool groups_are_ready(const Cluster& cluster, const Job& job);

/// The elements of this job that start with it, itself among them, by number; empty: it starts
/// alone. @cost O(groups)
std::vector<JobId> gang_of(const Cluster& cluster, const Job& job);

}  // namespace wm
