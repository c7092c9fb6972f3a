// Role: ending tasks: the signals of a sequence when each is due, to what is left of a task if its
// main process has obeyed an earlier one.
//
//   end ─► SIGINT ─kill_interval─► SIGTERM ─kill_interval─► SIGKILL to the whole tree ─► strays.h
//            (SIGUSR2 before them at the run limit, SIGXCPU at the CPU limit, SIGQUIT if it hangs)
#pragma once

#include "daemons/wshepherd/strays.h"

namespace wm::shepherd {

/// See the head of this file.
class Enders : public Behaviour {
 public:
  Enders(Attempt& attempt, Strays& strays) : attempt_(attempt), strays_(strays) {}
  /// From now on `task` gets these signals. Why is that of the first order which ended it.
  void end(Task& task, const EndWay& way, launch::EndCause cause, const std::string& text);
  /// The same for all that run; what they have left is not spared either.
  void end_all(const EndWay& way, launch::EndCause cause, const std::string& text);
  /// Sends what is due.
  void fire() override;
  /// When a signal is due next.
  std::optional<TimePoint> next() const override;

 private:
  void send_next(Task& task);

  Attempt& attempt_;
  Strays& strays_;
};

}  // namespace wm::shepherd
