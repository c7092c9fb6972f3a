// Role: the load thresholds of queues and hosts, held against what hosts measure, and the dispatch
// windows of hosts: which hosts take none of a queue's jobs now, which jobs are stopped for it, go
// on or end. Called by core.cc once a second.
//
//   heartbeats ─► judge_load (libwm/sched/plan/load.h) ─┬─► loaded(): for the scheduler
//                                                  ├─► JobSuspended | KillRequested, where it stops
//                                                  └─► JobResumed, when no host of the job does
//
// A host that is not heard keeps what it was judged to be: its jobs stay as they are.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemons/wmasterd/hosts/hosts.h"
#include "libwm/sched/plan/load.h"

namespace wm::master {

/// @thread the loop's
class LoadWatch {
 public:
  /// Is there nothing to look at? @cost O(queues + hosts)
  bool idle(const Config& config) const;
  /// What is to be done about jobs.
  /// @cost O(queues with thresholds x hosts, and jobs on hosts that stop them); O(jobs) once
  std::vector<EventBody> look(const Cluster& state, const Table<HostStanding>& standings,
                              WallTime now);
  /// Another object when another host or queue is in it. @cost O(1)
  std::shared_ptr<const sched::LoadedHosts> loaded() const { return loaded_; }
  /// Why a host takes none of some queue's jobs; empty: it takes all. @cost O(queues)
  std::string why_busy(HostId host) const;

 private:
  using Place = std::pair<std::string, HostId>;  // queue and host
  void judge(const Cluster& state, const Table<HostStanding>& standings, WallTime now);
  void publish();
  void stop(const Cluster& state, WallTime now, std::vector<EventBody>& events);
  void go_on(const Cluster& state, const Table<HostStanding>& standings, WallTime now,
             std::vector<EventBody>& events);
  bool keeps(const Job& job, const Table<HostStanding>& standings) const;

  std::map<Place, sched::LoadState> judged_;  // those that are busy
  std::set<JobId> stopped_;                   // once: somebody may have let them go on since
  std::shared_ptr<const sched::LoadedHosts> loaded_ = std::make_shared<sched::LoadedHosts>();
  bool looked_ = false;
};

}  // namespace wm::master
