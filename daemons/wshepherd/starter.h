// Role: starting tasks: their pipes, the process itself (a fork of the warm parent if that can be),
// the device guard, the word that it runs.
#pragma once

#include "daemons/wshepherd/warm.h"

namespace wm::shepherd {

/// See the head of this file.
class Starter {
 public:
  Starter(Attempt& attempt, Warm& warm) : attempt_(attempt), warm_(warm) {}
  /// Starts a task, unless its number is known already.
  void start(launch::TaskSpec spec);
  /// The record then has its pid and start; on failure phase is Exited and the record says why.
  void start(Task& task);

 private:
  Result<void> start_process(Task& task);
  Result<void> start_on_console(Task& task);

  Attempt& attempt_;
  Warm& warm_;
};

}  // namespace wm::shepherd
