// Role: the process behind Warm (warm.h): a socket pair to it, a fork asked for over that.
//
//   shepherd ──task, its pipes, a socket──► warm parent ──fork, fork──► the new process, now a
//   child of the shepherd (subreaper), makes itself ready, says so on the socket ──► the shepherd
//   takes its pid from the kernel's credentials and lets it go on
//
// Invariants: not one byte of the user's is looked at, only that one came and from whom; a fork
// that the shepherd does not let go on runs nothing of the job's.
#pragma once

#include "daemons/wshepherd/env.h"

namespace wm::shepherd {

/// See the head of this file. @owns its link to the process
class RealWarmParent : public WarmParent {
 public:
  std::optional<pid_t> start(const launch::KeepWarm& order, const launch::AttemptSpec& spec,
                             const std::vector<std::string>& cgroups, int log) override;
  int descriptor() override { return link_.get(); }
  Heard hear() override;
  std::optional<pid_t> fork_task(const launch::TaskSpec& task, const std::string& cwd, int out,
                                 int err) override;
  void let_go() override { link_.reset(); }

 private:
  bool ask(const launch::TaskSpec& task, const std::string& cwd, int out, int err, int socket);

  Fd link_;
};

}  // namespace wm::shepherd
