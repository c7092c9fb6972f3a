// Role: the state machine of the cluster, pure: what an event may do (check), does
// (apply), makes necessary (react) and brings with it (follow).
//
//   event → check → append to the store → apply → react → commit → effects
//                                            └─ follow: further events, same way
//
//   pending ⇄ held                                    ▲ pending again, as a new attempt:
//      │ JobDispatched                                │ JobRequeued, preempted, host lost and
//      ▼                                              │ rerunnable, an exit code that asks for it
//   launching ─TaskStarted of all─► running ⇄ suspended, unknown (its host is silent)
//      └──────────────┬────────────────┘              │
//               last TaskEnded ─► finished, failed, killed ─JobPurged─► forgotten
//                     └ its host still writes what it leaves: once JobDelivered has come
//
// No call changes a job: what happened to its tasks is the events, and
// the state is what they add up to (task_fsm.cc: what an end means; job_fsm.cc: the rest). A
// stale fact, of an older attempt or said again, is refused by check and harms nothing; the host
// that told it is told by react what is wanted now. So react never asks what event came.
//
// Invariants: apply is total for checked events and depends on nothing but its arguments;
// react depends on the state only, so recovery calls it with everything. Called by the
// master's core, by replay and by simulation. Never logs, never reads a clock.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/action.h"
#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::fsm {

/// What an event changed: input of react and follow.
struct Touched {
  std::set<JobId> orders;  ///< attempts with a changed wanted state on hosts
  std::set<JobId> agents;  ///< elastic jobs with a changed wanted membership
  std::set<JobId> jobs;    ///< jobs that changed at all
  std::set<HostId> hosts;  ///< hosts that have to be told everything again
  bool schedule = false;   ///< slots, demand or limits changed

  /// Adds what `other` touched. @cost O(size)
  void merge(const Touched& other);
};

/// May this happen now?
/// @errors NotFound: no such object; Conflict: not in this state; Stale: an older attempt,
///         or a repeat of what is known (harmless, to be dropped)
/// @cost O(log state)
Result<void> check(const Cluster& cluster, const EventBody& body);

/// Makes it so. `event` has passed check. @cost O(objects touched)
Touched apply(Cluster& cluster, const Event& event);

/// What has to be done about touched objects. @cost O(touched)
Actions react(const Cluster& cluster, const Touched& touched);

/// Everything that a fresh start has to do: react on every live object. @cost O(state)
Touched touch_everything(const Cluster& cluster);

/// Events that follow from the state of touched objects, for example the appointment of a
/// new lead; to be checked and applied like any other. @cost O(touched)
std::vector<EventBody> follow(const Cluster& cluster, const Touched& touched);

/// Cross-checks every index against the objects. For tests and for a start.
/// @errors Damaged: names the first broken invariant
/// @cost O(state)
Result<void> check_invariants(const Cluster& cluster);

/// The host's own faults in a row would close it, unless too many are closed for that already.
/// @cost O(1)
bool is_at_fault(const Cluster& cluster, const Host& host);

/// True for the base of a job array. @cost O(1)
inline bool is_array(const Job& job) { return job.id.index == 0 && !job.spec().array.empty(); }

/// Asked by check of every TasksAdded; the scheduler asks the same.
using wm::is_resizable;

}  // namespace wm::fsm
