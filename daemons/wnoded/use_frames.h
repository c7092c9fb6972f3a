// Role: tells the master what the attempts of this host use: how busy their GPUs are and what their
// processes used since the last minute (task_meters.h), and what they use at this moment (uses.h).
#pragma once

#include <map>
#include <vector>

#include "daemons/wnoded/attempts/local_attempt.h"
#include "daemons/wnoded/env.h"
#include "daemons/wnoded/task_meters.h"
#include "daemons/wnoded/uses.h"

namespace wm::node {

/// @thread the loop's
class UseFrames {
 public:
  explicit UseFrames(Env& env) : env_(env) {}

  /// What a shepherd says of its attempt.
  void hear(const LocalAttempt& attempt, const launch::Used& word);
  /// A reading of all GPUs; `usual`: the time between two. @cost O(GPUs + holders)
  void look(const std::vector<gpu::GpuReading>& readings, const GpuHolders& holders,
            Duration usual);
  /// What tasks use of GPUs beyond their gmem, as Uses has it.
  void set_gpu_over(const std::map<launch::AttemptKey, std::vector<GpuOveruse>>& by_attempt) {
    uses_.set_gpu_over(by_attempt);
  }
  /// Energy of GPUs of tasks that run, as Uses has it.
  void set_gpu_energy(const std::map<launch::AttemptKey, std::int64_t>& by_attempt) {
    uses_.set_gpu_energy(by_attempt);
  }
  /// The attempt is gone.
  void forget(const launch::AttemptKey& key) { uses_.forget(key); }
  /// Another master listens.
  void say_again() { uses_.say_again(); }
  /// Sends what is due; called while there is a session. @cost O(attempts) when something is
  void on_tick();

 private:
  void tell_meters(TimePoint now);

  Env& env_;
  TaskMeters meters_;
  Uses uses_;
  TimePoint meters_due_{}, energy_at_{};
};

}  // namespace wm::node
