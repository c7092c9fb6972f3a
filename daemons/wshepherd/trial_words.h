// Role: what a trial has to report when the last of its tasks here has ended, for that task's
// record:
//
//   exited, output copied ─► a command of the release, run as the user ─► its output in the record
//   ─► ended
//
// So the last report is durable with the end, and travels with it; no other way can lose it, or
// come too late. The end of the task waits for it, but not for a file system that hangs.
#pragma once

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// See the head of this file.
class TrialWords : public Behaviour {
 public:
  explicit TrialWords(Attempt& attempt) : attempt_(attempt) {}
  /// True while the report of an exited task is under way; begins with it if it is due.
  bool is_asking(Task& task);
  void on_exit(const Exit& exit) override;

 private:
  void start(Task& task);
  void take_report(Task& task, const Exit& exit);

  Attempt& attempt_;
};

}  // namespace wm::shepherd
