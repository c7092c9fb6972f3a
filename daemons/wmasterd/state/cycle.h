// Role: when scheduling passes run and what becomes of their plans. A pass is a function
// of the published state, run on a worker; its plan is admitted against the newest state
// and turned into events. Woken by change: no polling, no delay, one pass at a time, which
// remembers what the one before it saw.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemons/wmasterd/state/journal.h"
#include "daemons/wmasterd/state/refusals.h"
#include "libwm/sched/memory.h"
#include "libwm/sched/plan/plan.h"
#include "libwm/view/metrics_page.h"

namespace wm::master {

/// Why each pending job waits, of the newest pass, by rising job. Shared with queries.
using PendReasons = std::vector<sched::PendingJob>;

/// What this job waits for, or null. @cost O(log waiting)   @owns borrowed
const std::vector<PendReason>* find_reasons(const PendReasons& all, JobId job);

/// @thread the loop's
class Cycle {
 public:
  Cycle(const Env& env, Journal& journal)
      : clock_(env.clock), workers_(env.workers), keys_(env.keys), journal_(journal) {}

  /// Something changed that a pass should look at. Many calls make one pass.
  void wake();

  /// Hosts that are beyond load thresholds of queues: others than before make a pass.
  void set_loaded(std::shared_ptr<const sched::LoadedHosts> loaded);

  /// Of the newest pass; a job not in it is new. @cost O(1)
  std::shared_ptr<const PendReasons> reasons() const { return reasons_; }

  /// Writes to the history what jobs wait for, where that has changed since it was last
  /// written: once a second at most, every five seconds while very many wait; not of jobs younger
  /// than a second; of one job after 1 s, then 2, 4 … at last once an hour; in all 20 a second
  /// after the first 20,000. Called at every tick. @cost O(waiting jobs) when something changed
  void record_waits();
  /// The events that start a job there: decided elsewhere, not by a pass. @cost O(tasks)
  std::vector<EventBody> dispatch(const sched::Start& start);
  /// How long passes took, from their start on a worker until their plan was there.
  const view::Histogram& passes() const { return passes_; }

 private:
  static constexpr double kMostAllowance = 20'000;  // waits written at once
  void run();
  void take(sched::Plan plan);
  void look_again(WallTime when);
  EventBody event_of(const sched::Preempt& piece) const;
  std::vector<EventBody> events_of(const sched::Plan& plan);
  std::vector<EventBody> changed_waits();

  Clock& clock_;
  Workers& workers_;
  Keys& keys_;
  Journal& journal_;
  Refusals refusals_;
  std::shared_ptr<const sched::LoadedHosts> loaded_;
  std::shared_ptr<sched::Memory> memory_ = std::make_shared<sched::Memory>();  // the pass's
  std::shared_ptr<const PendReasons> reasons_ = std::make_shared<PendReasons>();
  // What was last written of a job that waits.
  struct Recorded {
    JobId job;
    std::string codes;     // of the reasons, a byte each
    TimePoint not_before;  // of the next
    Duration pause;        // until then
  };
  void refill();
  Recorded recorded(JobId job, std::string codes, const Recorded* before) const;

  std::vector<Recorded> recorded_;  // of jobs that waited at the last time, by rising job
  double allowance_ = kMostAllowance;
  TimePoint refilled_{};
  std::shared_ptr<const PendReasons> recorded_of_;
  TimePoint recorded_at_{};
  std::optional<TimePoint> again_;  // some jobs were left for then
  WallTime look_at_{};              // of the timer that counts; 0: none
  bool running_ = false, wanted_ = false;
  view::Histogram passes_;
};

}  // namespace wm::master
