// Role: how fast a training job would be with another number of tasks, from what it reported:
// a throughput model fitted to its step times and, for a job that reports gradient noise
// and may choose its batch, statistical efficiency.
//
//   step(local, rounds) = (rounds - 1) compute + (compute^g + exchange^g)^(1/g)
//   compute  = base + per x local
//   exchange = 0 for one task, base + per x (tasks - 2) on one host, another base and per on
//              several; g says how far the two overlap: 1 not at all
//   goodput  = samples / step x efficiency,  efficiency = (phi + B0) / (phi + B)
//
// Invariants: pure; the same reports give the same model. What was never seen counts as free,
// and nothing beyond twice the tasks seen is foretold: so a job is tried out step by step.
// @source Pollux: Qiao et al., OSDI 2021, equations 3-11 (goodput, T_grad, T_sync, T_iter); 4.2.1
//         (no two distributed jobs on a host)
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "libwm/base/ids.h"

namespace wm::sched {

/// One reported step. @units seconds; samples
struct StepSample {
  std::uint32_t hosts = 1, tasks = 1;
  double local_batch = 1;  ///< samples that a task computes in a step
  double compute_s = 0;    ///< to compute them
  double exchange_s = 0;   ///< that exchanging gradients adds
  bool operator==(const StepSample&) const = default;
};

/// A fitted model of step times. @units seconds
struct StepModel {
  double compute_base = 0, compute_per = 0;
  double local_base = 0, local_per = 0;    ///< exchange within a host
  double remote_base = 0, remote_per = 0;  ///< exchange between hosts
  double overlap = 1;                      ///< g

  /// Time of a step. @cost O(1)
  double step_s(std::uint32_t hosts, std::uint32_t tasks, double local, double rounds) const;
};

/// The model nearest to the samples: least squares of relative errors, no negative
/// parameter, g from a short list.
/// @cost O(samples x list)
StepModel fit_steps(std::span<const StepSample> samples);

/// Bounds of a job's batch and its noise. @units samples
struct BatchTerms {
  double initial = 1;  ///< B0
  double own = 1;      ///< what it trains with unless it may choose
  double most = 1;     ///< that the training allows
  double local_least = 1, local_most = 1;
  double noise = 0;  ///< phi
  bool may_choose = false;
  bool per_task = false;  ///< `own` is a task's, not all tasks' together
};

/// Efficiency of a batch: progress of a sample compared with one at B0. @cost O(1)
double efficiency(const BatchTerms& terms, double batch);

/// Best goodput on so many hosts and tasks, over the batches allowed; samples at B0 per second.
/// @cost O(batches tried)
double best_goodput(const StepModel& model, const BatchTerms& terms, std::uint32_t hosts,
                    std::uint32_t tasks);

/// How fast a job is with 0, 1, 2 … tasks. Any unit, the same for all.
struct Curve {
  std::vector<double> packed;  ///< on as few hosts as can be
  /// On several hosts, of 2 and more tasks, as many as one host could take. Empty: not known.
  std::vector<double> apart;
};

/// What a job has shown of itself. A value of the caller; one a job.
class Profile {
 public:
  /// Takes a report in; of alike ones the newest counts. False if it says nothing new.
  /// @cost O(log reports)
  bool add(const StepSample& sample);
  /// Speed with 0, 1 … tasks packed on hosts of `per_host`, as far as it is known: at most
  /// twice the tasks seen, at least 2. Where a size was seen, what was seen counts; elsewhere the
  /// model, which errs as it does at the sizes seen next to it, and between two that were seen is
  /// never below the line between them: speed rises less with every task, if it does. Beyond one
  /// host only whole ones are any faster. Apart: known once the job was seen on several hosts.
  /// Empty before the first report.
  /// @cost O(tasks x batches + fit)
  Curve curve(const BatchTerms& terms, std::uint32_t per_host, std::uint32_t most) const;

 private:
  struct Key {
    std::uint32_t hosts, tasks;
    double local;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, StepSample> samples_;
  std::uint32_t seen_ = 0;
};

}  // namespace wm::sched
