// Role: the warm parent of one attempt on one host (DESIGN 5.2 no. 7): a process of the job's
// user (fabric_model/warm.py) that has imported the framework and forks newcomers. It is a
// convenience: whatever goes wrong with it, the task is started cold.
//
//   absent ──order──► waiting ────after─────► importing ──its byte──► ready ⇄ fork_task
//                        └────── no task for kWarmKept, any failure ───────────► over
// One that was wanted at once is kept until the attempt ends.
//
// Invariant: once over it is never started again in this attempt. The process itself is
// warm_parent.h.
#pragma once

#include <optional>

#include "daemons/wshepherd/folder.h"

namespace wm::shepherd {

/// Without a task on this host it is kept so long: it costs about 130 MB that nobody was granted.
inline constexpr Duration kWarmKept = std::chrono::seconds(60);

/// See the head of this file. @thread the shepherd's
class Warm : public Behaviour {
 public:
  Warm(Attempt& attempt, Folder& folder) : attempt_(attempt), folder_(folder) {}
  /// What is to be held ready; the first order counts.
  void want(launch::KeepWarm order);
  /// Starts or ends it when that is due.
  void fire() override;
  /// When fire() has to be called next; none: not by time.
  std::optional<TimePoint> next() const override;
  /// Readable when it has something to say; -1: nothing to hear.
  int descriptor() const override;
  /// Hears it: ready now, or gone.
  void hear() override;
  void on_exit(const Exit& exit) override;
  /// Ends it for good.
  void finish() override;
  /// The process of `task` as a fork; none: start it cold.
  /// @cost blocks for the fork, at most 1 s; after that it is over
  std::optional<pid_t> fork_task(const launch::TaskSpec& task, int out, int err);

 private:
  void start();

  Attempt& attempt_;
  Folder& folder_;
  std::optional<launch::KeepWarm> order_;
  pid_t pid_ = 0;
  bool ready_ = false, over_ = false;
  TimePoint start_at_{};
  std::optional<TimePoint> end_at_;
};

}  // namespace wm::shepherd
