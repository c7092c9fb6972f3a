// Role: what goes before the tasks and after them, one command after the other.
//
//   before ─all well─► ready: tasks ─► after ─► the attempt's end
//      └──failed──► no task runs; only the site's own commands come after
//
// The run limit counts from the tasks on: the commands before them, which may fetch an image, are
// not on the job's time. The user's have times of their own, for all before and all after together.
#pragma once

#include "daemons/wshepherd/reporter.h"
#include "daemons/wshepherd/run_limit.h"
#include "daemons/wshepherd/side_commands.h"
#include "daemons/wshepherd/starter.h"

namespace wm::shepherd {

/// See the head of this file.
class Around {
 public:
  Around(Attempt& attempt, SideCommands& sides, Starter& starter, RunLimit& run_limit,
         Reporter& reporter)
      : attempt_(attempt),
        sides_(sides),
        starter_(starter),
        run_limit_(run_limit),
        reporter_(reporter) {}
  /// Starts the next command that goes before the tasks, or the tasks.
  void go_on();
  /// A command beside the tasks has ended: the next is started, or the tasks are refused.
  void on_end(const SideEnd& end);
  /// The tasks that wait will never run; what runs before them is ended. @units status: as wait(2)
  void refuse(launch::EndCause cause, const std::string& text, int status);
  /// True: a command that goes after the tasks runs; the next is started if none does.
  bool runs_after();

 private:
  launch::SideCommand limited(launch::SideCommand command, SideKind kind);

  Attempt& attempt_;
  std::map<SideKind, TimePoint> users_end_;  ///< the user's commands of that kind end by then
  SideCommands& sides_;
  Starter& starter_;
  RunLimit& run_limit_;
  Reporter& reporter_;
};

}  // namespace wm::shepherd
