// Role: whether an mpirun in the job has started fewer ranks than the job has slots without being
// asked to: a line of the job's report (launch/mpi_launches.h decides). It looks from time to time,
// since a launcher tells its ranks how many they are, and nobody else.
//
//   task runs ─► pause: an eighth of the time it has run, 0.1 s to 1 min ─► look ─► pause …
//                                                          a line: no more looks ◄─┘
//
// The look is a user part: what users wrote in words and variables of processes is not read by
// root. If the memory of a process is locked, only that part hangs, and it is killed then. Limit:
// what ran between two looks only, on other hosts, or without an output file or mail, is not seen.
#pragma once

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// See the head of this file.
class RankWatch : public Behaviour {
 public:
  explicit RankWatch(Attempt& attempt) : attempt_(attempt) {}
  /// Looks when that is due; kills a look that takes too long.
  void fire() override;
  void on_exit(const Exit& exit) override;
  /// No more looks.
  void finish() override;
  std::optional<TimePoint> next() const override;

 private:
  bool is_wanted() const;
  void look();
  Duration pause() const;

  Attempt& attempt_;
  std::optional<TimePoint> began_;  ///< the first task, in the job's time
  TimePoint look_at_{};
  pid_t pid_ = 0;  ///< of the look under way
  TimePoint until_{};
  Fd line_;  ///< what it says
  bool over_ = false;
};

}  // namespace wm::shepherd
