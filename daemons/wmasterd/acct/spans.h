// Role: who held what, part by part: what reports are made of. Folded from the durable events,
// pure; it keeps what lasts, so that a part can be ended.
//
//   event ─► the job's open parts ─► what each should be now ─► same: nothing
//                                                          └─► other: one ends, one begins
//
// Invariants: the parts of a task follow one another without gap, but for what the clock was set
// by, from its grant until it is proven gone; the slots of all parts of a job times their length
// are its Holding::slot_time. How hosts and GPUs stand is in standings.h.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/store/acct/acct_rows.h"

namespace wm::master {

/// A task that holds something.
struct OpenTask {
  store::AllocationRow row;
  HostId host;
  WallTime since;  ///< granted
  bool has_process = true, leaving = false, stuck = false, mem_elsewhere = false;
};

/// A job's parts that last, and its attempt.
struct OpenJob {
  std::map<TaskNumber, OpenTask> tasks;
  store::AttemptRow attempt;  ///< attempt 0: none that lasts
  TaskRequest request;
  bool suspended = false, parked = false, mem_released = false;
  bool killed = false, preempted = false;
};

/// Since when a job waits, and when it was held meanwhile.
struct OpenWait {
  WallTime since;
  std::vector<std::pair<WallTime, WallTime>> held;  ///< the epoch as an end: it lasts
};

/// What is known of jobs that hold or wait. Of a wait that begins with the submission and was
/// never held nothing is kept.
struct OpenJobs {
  std::map<JobId, OpenJob> jobs;
  std::map<JobId, OpenWait> waits;
  std::map<std::uint32_t, std::uint32_t> active;  ///< elements of an array with an attempt
  std::map<std::uint32_t, WallTime> limit_left;   ///< when an array was last at its limit
  std::map<HostId, std::set<JobId>> on;
  std::set<HostId> silent;
};

/// What a start begins with: the state, and the rows that last in acct.db. Holds of waiting jobs
/// are added by the caller. @cost O(jobs that are not over + tasks)
OpenJobs open_jobs(const Cluster& cluster, const store::AcctRows& lasting);

/// Adds the rows of one event. `after`: the state of the group that it became durable with; read
/// of it is only what no later event of the group changes.
/// @cost O(event + tasks of its job); of a host's event O(tasks on it)
void fold_spans(OpenJobs& open, const Event& event, const Cluster& after, store::AcctRows& rows);

}  // namespace wm::master
