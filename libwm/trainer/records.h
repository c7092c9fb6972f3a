// Role: the step records of one task (libwm/trainer/FORMAT.md): steps.csv, from which pauses
// and lost steps are computed, and ledger.csv, from which a checker proves that every sample
// was used in exactly one applied step. Also computes the pause of a switch (DESIGN 8).
// Invariants: a line is one write to an O_APPEND file, so lines are whole even when the
// task is killed; files are appended to, never rewritten.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/trainer/wmtrainer.h"

namespace wm::trainer {

/// The pause that the first step of a new epoch shows: its begin minus the end of the step
/// before, less the median gap of the 20 steps before.
/// @thread one at a time   @cost O(20) a step
class PauseMeter {
 public:
  /// Takes one step in. Returns the pause when it is the first of an epoch and others went
  /// before. @units nanoseconds
  std::optional<std::int64_t> on_step(const wm_step& step);

 private:
  std::int64_t median_gap() const;

  std::deque<std::int64_t> gaps_;
  std::optional<wm_step> last_;
};

/// The record files of one task. Neither copied nor moved.
/// @thread one at a time   @owns two descriptors
class Records {
 public:
  /// `log_dir` empty: keeps no files.
  /// @errors System: a file cannot be made or written
  static Result<std::unique_ptr<Records>> open(const std::string& log_dir);
  ~Records();

  /// Writes one step. Returns the pause as PauseMeter does.
  /// @errors System: disk full or gone   @cost two writes
  Result<std::optional<std::int64_t>> write(const wm_step& step);

 private:
  Records(std::string log_dir, int steps, int ledger)
      : log_dir_(std::move(log_dir)), steps_(steps), ledger_(ledger) {}

  const std::string log_dir_;
  const int steps_;
  const int ledger_;
  PauseMeter meter_;
};

}  // namespace wm::trainer
