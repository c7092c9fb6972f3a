// Role: the processes that copy tasks' output from pipes to files (output.h), one a task, started
// at its first byte: a silent task costs neither process nor file.
//
//   pipes ─first byte─► copier (user part) ─both ends closed─► done
//     └─ closed without a byte ─► done      └─ nothing of the task is left, yet it runs: patience,
//                                              then it is killed
#pragma once

#include "daemons/wshepherd/folder.h"

namespace wm::shepherd {

/// See the head of this file.
class Copiers : public Behaviour {
 public:
  Copiers(Attempt& attempt, Folder& folder) : attempt_(attempt), folder_(folder) {}
  /// Starts one for `task` if something waits in its pipes.
  void look(Task& task);
  void look_at_all();
  void hear() override { look_at_all(); }
  void on_exit(const Exit& exit) override;
  /// True while output of a task that has exited may still come; `leaves`: so may what it left.
  /// A pipe that a process outside the job holds open does not keep the task for ever.
  bool is_copying(Task& task, bool leaves);
  /// The files that were asked for are this task's to write from now on, and no other's: what the
  /// writer before has written stays, whatever was asked.
  void hand_over(TaskNumber writer);

 private:
  void start(Task& task);
  void note_end(Task& task, const Exit& exit);

  Attempt& attempt_;
  Folder& folder_;
};

}  // namespace wm::shepherd
