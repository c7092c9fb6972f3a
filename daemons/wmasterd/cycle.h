// Role: when scheduling passes run and what becomes of their plans. A pass is a function
// of the published state, run on a worker; its plan is admitted against the newest state
// and turned into events. Woken by change: no polling, no delay, one pass at a time.
#pragma once

#include <map>
#include <memory>

#include "daemons/wmasterd/journal.h"
#include "libwm/sched/plan.h"

namespace wm::master {

/// Why each pending job waits, of the newest pass. Shared with queries.
using PendReasons = std::map<JobId, sched::Reasons>;

/// @thread the loop's
class Cycle {
 public:
  Cycle(World& world, Journal& journal) : world_(world), journal_(journal) {}

  /// Something changed that a pass should look at. Many calls make one pass.
  void wake();

  /// Of the newest pass; a job not in it is new. @cost O(1)
  std::shared_ptr<const PendReasons> reasons() const { return reasons_; }

  /// Writes to the history what jobs wait for, where that has changed since it was last
  /// written: once a second at most, every five seconds while very many wait; not of jobs
  /// younger than a second. Called at every tick. @cost O(waiting jobs) when something changed
  void record_waits();

 private:
  void run();
  void take(const sched::Plan& plan);
  void look_again(WallTime when);
  std::vector<EventBody> events_of(const sched::Plan& plan);
  std::vector<EventBody> changed_waits();

  World& world_;
  Journal& journal_;
  std::shared_ptr<const PendReasons> reasons_ = std::make_shared<PendReasons>();
  std::map<JobId, std::string> recorded_;  // codes of its reasons, a byte each
  std::shared_ptr<const PendReasons> recorded_of_;
  TimePoint recorded_at_{};
  bool unrecorded_ = false;  // some jobs were left for the next time
  WallTime look_at_{};       // of the timer that counts; 0: none
  bool running_ = false, wanted_ = false;
};

}  // namespace wm::master
