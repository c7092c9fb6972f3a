// Role: a scheduler at work without processes: plans are admitted and applied as the real
// events, tasks start at once, leavers leave when the test says so. Every step is checked
// against the state machine and its invariants (ClusterBuilder), every plan by sound_plan.h.
#pragma once

#include <string>

#include "libwm/sched/schedule.h"
#include "test/support/builders.h"

namespace wm::test {

/// A cluster with a scheduler.
class SchedRun : public ClusterBuilder {
 public:
  sched::SchedPolicy policy;
  /// Tasks stay starting until catch_up(): jobs are launching for a while.
  bool slow = false;
  /// Workers speak with agents: their jobs are resized in place.
  bool agents = true;
  /// Seconds since the tests' epoch: when passes run and events happen.
  double now = 0;

  /// What one pass decides, nothing applied. Throws when it is no sound plan (sound_plan.h).
  sched::Plan plan() const;
  /// One event, now or at another time.
  Actions step(const EventBody& body) { return step(body, now); }
  Actions step(const EventBody& body, double seconds) {
    return ClusterBuilder::step(body, seconds);
  }
  /// One pass: plan, admit, apply; what starts runs at once. Returns what was applied.
  sched::Plan pass();
  /// Everybody asked to leave is gone.
  void let_leave();
  /// One of them is gone. False if there was none.
  bool let_one_leave();
  /// All tasks have started, all elastic jobs are in an epoch.
  void catch_up();
  /// Passes and leaving until a pass decides nothing. Returns the passes that did something,
  /// or -1 if it does not come to rest in `most`.
  int settle(int most = 50);
  /// All tasks of the job end well.
  void end(JobId job);
  /// All that were preempted are gone, as hosts would tell. False if there were none.
  bool end_preempted();
  /// Tasks it has and was not asked to give back; 0 when not running.
  std::uint32_t size(JobId job) const;
  /// The first reason why it waits, or "".
  std::string why(JobId job) const;
  /// When it is to start at the latest, in seconds; -1: nothing is promised.
  double promised(JobId job) const;
  /// Its code, or New.
  PendCode code(JobId job) const;

 private:
  void start(const sched::Start& piece);
  void grow(const sched::Grow& piece);
  void leave(JobId job, TaskNumber task);
  void all_started(JobId job);
  void next_epoch(JobId job);
};

}  // namespace wm::test
