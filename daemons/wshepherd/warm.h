// Role: the warm parent of one attempt on one host (DESIGN 5.2 no. 7): a process of the job's
// user (fabric_model/warm.py) that has imported the framework and forks newcomers. It is a
// convenience: whatever goes wrong with it, the task is started cold.
//
//   absent ──order──► waiting ────after─────► importing ──its byte──► ready ⇄ fork_task
//                        └────── no task for kWarmKept, any failure ───────────► over
//
// A fork: shepherd ──task, its pipes, a socket──► warm parent ──fork, fork──► the new process,
// now a child of the shepherd (subreaper), makes itself ready, says so on the socket ──► the
// shepherd takes its pid from the kernel's credentials and lets it go on.
// Invariants: not one byte of the user's is looked at, only that one came and from whom; a fork
// that the shepherd does not let go on runs nothing of the job's; once over it is never
// started again in this attempt.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "libwm/launch/launcher.h"
#include "libwm/proc/channel.h"

namespace wm::shepherd {

/// Without a task on this host it is kept so long: it costs about 130 MB that nobody was granted.
inline constexpr Duration kWarmKept = std::chrono::seconds(60);

/// See the head of this file. @thread the shepherd's   @owns its link to the process
class Warm {
 public:
  /// What is to be held ready; the first order counts.
  void want(launch::KeepWarm order, TimePoint now);
  /// Starts or ends it when that is due. `log` takes its output.
  void look(const launch::AttemptSpec& spec, const std::vector<std::string>& cgroups, int log,
            TimePoint now);
  /// The attempt has a task here, or not. @units now: monotonic
  void note_tasks(bool any, TimePoint now);
  /// When look() has to be called next; none: not by time.
  std::optional<TimePoint> due() const;
  /// Readable when it has something to say; -1: nothing to hear.
  int descriptor() const { return ready_ ? -1 : link_.get(); }
  /// Hears it: ready now, or gone.
  void hear();
  /// Its process; 0: none. The caller reaps it.
  pid_t pid() const { return pid_; }
  void on_exit();
  /// Ends it for good.
  void end();

  /// The process of `task` as a fork; none: start it cold.
  /// @cost blocks for the fork, at most kForkLimit; after that it is over
  std::optional<pid_t> fork_task(const launch::TaskSpec& task, const std::string& cwd, int out,
                                 int err);

 private:
  bool ask(const launch::TaskSpec& task, const std::string& cwd, int out, int err, int socket);

  std::optional<launch::KeepWarm> order_;
  proc::Fd link_;
  pid_t pid_ = 0;
  bool ready_ = false, over_ = false;
  TimePoint start_at_{};
  std::optional<TimePoint> end_at_;
};

}  // namespace wm::shepherd
