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

/// The numbers of `more` tasks that a running one gets next, rising. Those of an independent group
/// of a fixed size say which of its places a task has, also one that replaces another: see
/// place_in.
/// @cost O(tasks)
std::vector<TaskNumber> next_numbers(const Job& job, std::uint32_t more);

/// The place, from 0, of a task of an independent group of a fixed size. @cost O(1)
inline std::uint32_t place_in(std::uint32_t size, TaskNumber task) {
  return (task.value - 1) % size;
}

/// Was it given up when its host fell silent, and is not proven gone? On that host's return it is
/// ended. @cost O(1)
bool is_lost(const Task& task);

/// Has it any such task? Another one takes its place meanwhile. @cost O(tasks)
bool has_lost_task(const Job& job);

/// Has it a task on a host that is drained, for which another is started? @cost O(tasks)
bool has_moving_task(const Job& job);

/// Does the task do what another one may be asked to leave for: a member of the epoch, a kernel
/// that its router has, else a process that runs? What is started again at each size always does.
/// @cost O(tasks)
bool has_begun_work(const Config& config, const Job& job, const Task& task);

/// May the element start, as far as the others go? Groups that live with the job wait until all of
/// them wait; independent ones until all of those run. True for any other job. @cost O(groups)
bool groups_are_ready(const Cluster& cluster, const Job& job);

/// The job under which results of the element `id` of `job` are kept: the whole job's where groups
/// of a fixed size and of one role are a team (launch/group_team.h). @cost O(groups)
JobId results_owner(const Job& job, JobId id);

/// The elements of this job that start with it, itself among them, by number; empty: it starts
/// alone. @cost O(groups)
std::vector<JobId> gang_of(const Cluster& cluster, const Job& job);

}  // namespace wm
