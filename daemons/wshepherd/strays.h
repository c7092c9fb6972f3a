// Role: what tasks leave behind. It is spared for a while when a task ends by itself, then killed,
// again and again; what does not go after kill_grace is told as stuck, once.
//
//   task exited ─► spared (stray_grace, or as long as it obeys a signal) ─► SIGKILL at kill_pace.h
//                    └─ the job is ended: spared no longer ─┘                 ├─► gone
//                                                          kill_grace passed ─┴─► AttemptStuck
//
// Invariant: while other tasks run, what may be a daemon that one of those started is left alone.
#pragma once

#include "daemons/wshepherd/attempt.h"
#include "daemons/wshepherd/kill_pace.h"

namespace wm::shepherd {

/// See the head of this file.
class Strays : public Behaviour {
 public:
  explicit Strays(Attempt& attempt) : attempt_(attempt) {}
  /// Kills what is left and no longer spared. True: it did, and some may be there to be reaped.
  /// @cost a listing of /proc a task that has exited
  bool clean_up();
  /// The end of the job does not wait for what these tasks (all, if none is named) have left.
  void spare_no_longer(const std::vector<TaskNumber>& tasks);
  bool spares_any() const;
  /// SIGKILL was sent: what is still there kill_grace from now is stuck.
  void expect_gone();
  /// Nothing is left now: the next SIGKILL has a grace of its own.
  void settle(bool nothing_left);
  /// Says what is stuck when its time has come.
  void fire() override;
  /// When something is due next, by the steady clock.
  std::optional<TimePoint> next() const override;

 private:
  bool is_to_end(pid_t pid) const;
  bool is_spared(pid_t pid) const;
  std::set<pid_t> runtime_among(const std::vector<pid_t>& pids) const;
  void say_stuck();

  Attempt& attempt_;
  KillPace pace_;
  bool cleaning_ = false;  ///< strays are dying: looked at again when pace_ says
  bool stuck_told_ = false;
  std::optional<TimePoint> gone_by_;
};

}  // namespace wm::shepherd
