// Role: what a task that failed by itself said last, for its record and the job's output:
//
//   exited, output copied ─► teller (user part) ─► a line in the record ─► ended
//
// The end of the task waits for it, but not for a file system that hangs.
#pragma once

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// See the head of this file.
class Tellers : public Behaviour {
 public:
  explicit Tellers(Attempt& attempt) : attempt_(attempt) {}
  /// True while a task's last words are under way; begins with them if they are due.
  bool is_telling(Task& task);
  void on_exit(const Exit& exit) override;

 private:
  void start(Task& task);
  void take_words(Task& task);

  Attempt& attempt_;
  int blocks_ = 0;  ///< of failed tasks, in the job's output
};

}  // namespace wm::shepherd
