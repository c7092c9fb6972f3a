// Role: processes that make room for others of the same job, as a torchrun command does at each
// size: the old one is ended, and when nothing of it is left the new one is started in its place.
//
//   runs ──RestartTasks──► ending, its successor waits ──nothing left──► successor starts
//                              └─ EndTasks: no successor; its end is that of the task that waited
#pragma once

#include "daemons/wshepherd/ending.h"
#include "daemons/wshepherd/starter.h"

namespace wm::shepherd {

/// See the head of this file.
class Successors {
 public:
  Successors(Attempt& attempt, Enders& enders, Starter& starter)
      : attempt_(attempt), enders_(enders), starter_(starter) {}
  /// A task that has ended by itself is not replaced; one that still waits to start is, at once.
  void replace(std::vector<launch::Replacement> tasks, Duration grace);
  /// Nothing takes the place of these tasks any more; of all, if none is named.
  void drop(const std::vector<TaskNumber>& tasks, const std::string& why);
  /// Nothing of that task is left: the new one takes its place.
  void succeed(TaskNumber old);

 private:
  void replace(launch::Replacement task, Duration grace);

  Attempt& attempt_;
  Enders& enders_;
  Starter& starter_;
};

}  // namespace wm::shepherd
