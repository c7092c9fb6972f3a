// Role: the master's machines without its daemons: a cluster as a value, the state machines
// (libwm/fsm) that change it, the scheduler (libwm/sched) that decides, admitted plans made the
// real events. Tasks start, and those asked to leave go, within the instant.
//
//   pass() ── Plan ──► carry_out() ── events ──► check → apply → follow
//
// Used by production.h (job lists) and whatif.h (a live cluster).
#pragma once

#include <set>
#include <vector>

#include "libwm/fsm/fsm.h"
#include "libwm/sched/memory.h"
#include "libwm/sched/schedule.h"

namespace wm::replay {

/// A cluster, and what the master would do with it.
class Twin {
 public:
  explicit Twin(Cluster cluster) : cluster_(std::move(cluster)) {}

  /// Reads it. @owns borrowed
  const Cluster& cluster() const { return cluster_; }
  /// To change what no event changes. @owns borrowed
  Cluster& cluster() { return cluster_; }

  /// check, apply, follow; false: it cannot happen now, and nothing did.
  /// @cost O(objects touched)
  bool apply(const EventBody& body, WallTime now);
  /// What the scheduler decides. @cost as sched::schedule with a memory of the passes before
  sched::Plan pass(const sched::SchedPolicy& policy, WallTime now);
  /// Makes an admitted plan so; returns the jobs that it touched, rising. @cost O(pieces)
  std::set<JobId> carry_out(const sched::Plan& plan, WallTime now);
  /// Its processes end, well. @cost O(tasks)
  void end(JobId job, WallTime now);
  /// Those ordered to start have, those asked to leave are gone. @cost O(tasks)
  void settle(JobId job, WallTime now);

 private:
  Cluster cluster_;
  sched::Memory memory_;
};

}  // namespace wm::replay
