// Role: ending what was launched (blaunch, battach) on a host where the job has no task of its own.
//
//   EndTasks for all, no task here ─► SIGINT, SIGTERM, SIGKILL a kill_interval apart to what the
//   agent started ─► nothing of it is left, or all were sent: the attempt finishes
#pragma once

#include "daemons/wshepherd/agent.h"

namespace wm::shepherd {

/// See the head of this file.
class LaunchedPart : public Behaviour {
 public:
  LaunchedPart(Attempt& attempt, Agent& agent) : attempt_(attempt), agent_(agent) {}
  /// The first order counts.
  void end(const launch::EndTasks& order);
  /// One step: a signal when it is due.
  void fire() override;
  std::optional<TimePoint> next() const override;

 private:
  Attempt& attempt_;
  Agent& agent_;
  std::optional<Ending> ending_;
};

}  // namespace wm::shepherd
