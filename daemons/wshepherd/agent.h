// Role: keeping the job's agent (wagent) on this host: started as the user where one is wanted,
// again when it ends, ended with the attempt.
//
//   wanted ─► runs ─exit─► started again 200 ms later, kMaxStarts times in a row; one that ran for
//                │           ten minutes was no failure, and the count begins anew
//                └─ the attempt ends: SIGTERM; kAgentPatience later SIGKILL, unless it still writes
//                   the output of ranks or launchers on other hosts and nobody ends the job by
//                   force
#pragma once

#include "daemons/wshepherd/folder.h"

namespace wm::shepherd {

/// See the head of this file.
class Agent : public Behaviour {
 public:
  Agent(Attempt& attempt, Folder& folder) : attempt_(attempt), folder_(folder) {}
  /// Wanted from now on, if it was not.
  void want(launch::StartAgent order);
  /// Starts it if it is due.
  void fire() override;
  void on_exit(const Exit& exit) override;
  /// It may still have output to deliver; what it started is not wanted any more. Once ended it is
  /// not started again.
  void finish() override;
  /// It runs, and writes what launchers on other hosts say to files that tasks here write, too.
  bool writes_beside_us() const;
  std::optional<TimePoint> next() const override;
  /// Commands that it started for this job: below it, not the shepherd's own tasks.
  std::vector<pid_t> launched() const;
  /// What it writes of all ranks: a task without a process.
  Task& output() { return output_; }
  const Task& output() const { return output_; }

 private:
  struct Pipes {
    Fd out, err;
  };
  bool is_due() const;
  void start();
  Pipes connect();

  Attempt& attempt_;
  Folder& folder_;
  pid_t pid_ = 0;
  Task output_;
  int starts_ = 0;
  TimePoint next_{}, started_{};
  std::optional<TimePoint> kill_by_;
};

}  // namespace wm::shepherd
