// Role: what is done to a job that runs in the site's own way (suspend, resume, terminate
// controls), and the checkpoints that it is to write again and again.
//
//   Suspend ─► signal to the tasks | command | as usual (suspension.h); the job's time stands
//   end     ─► signal, kill_interval, SIGKILL | command, SIGKILL after twice that | as usual
//
// A newer act ends the command of the one before it: one that hangs holds up nothing.
#pragma once

#include <optional>

#include "daemons/wshepherd/side_commands.h"

namespace wm::shepherd {

/// See the head of this file.
class Acts : public Behaviour {
 public:
  Acts(Attempt& attempt, SideCommands& sides) : attempt_(attempt), sides_(sides) {}
  /// Stops the job, or lets it go on.
  void suspend(bool on);
  /// Begins to end all tasks. How that goes on; `usual`: the signals where the site says nothing.
  EndWay terminate(std::vector<int> usual);
  /// Has a checkpoint written when that is due, unless the one before it still is.
  void fire() override;
  /// When it is due next, by the steady clock.
  std::optional<TimePoint> next() const override;

 private:
  void perform(const launch::JobAct& act, Duration time_limit);
  void run(launch::SideCommand command, SideKind kind);
  bool writes_checkpoints() const;

  Attempt& attempt_;
  SideCommands& sides_;
  std::optional<TimePoint> due_;  ///< the next checkpoint, in the job's time
};

}  // namespace wm::shepherd
