// Role: what an outcome says: the figures of a simulation and a record per job, as values and
// as JSON. Definitions beside each figure. Called by bsim and tests.
#pragma once

#include <string>
#include <vector>

#include "libwm/replay/engine.h"

namespace wm::replay {

/// The figures of one simulation. @units seconds where the name ends in _s
struct Metrics {
  double avg_jct_s = 0, p50_jct_s = 0, p99_jct_s = 0;  ///< from submission to end
  double avg_wait_s = 0;                               ///< from submission to start
  double bounded_slowdown = 0;     ///< mean of max(1, jct / max(10 s, run time as asked for))
  double makespan_s = 0;           ///< first submission to last end
  double utilisation = 0;          ///< units held x time / (units x makespan)
  double ftf_worst = 0;            ///< of finish-time fairness: jct / jct alone on 1/n
  double ftf_unfair_fraction = 0;  ///< jobs beyond 1 by more than rounding
  /// The same against a lone run that has its best size from the start.
  double ftf_known_worst = 0, ftf_known_unfair_fraction = 0;
  double resizes_per_job = 0;
  double paused_s = 0;        ///< mean time that a job spent on start and resizes
  double service_missed = 0;  ///< of the kernel-seconds that services wanted, those not had
  double pass_p50_ms = 0, pass_p99_ms = 0;
};

/// What a job is compared with.
enum class LoneRun : std::uint8_t {
  Simulated,  ///< under the same policy, tried out like any other (alone.h)
  Known,      ///< with its best size from the start
};

/// Finish-time fairness of every job: its time, divided by its time alone on 1/n of the cluster
/// (starts and resizes charged), n = the mean number of jobs in the system during its life.
/// @cost O(jobs x log jobs + jobs x units), and a simulation of a job for every kind and part
/// @source Themis: Mahajan et al., NSDI 2020; as in Sia, SOSP 2023
std::vector<double> finish_time_fairness(const Outcome& outcome, const Setup& setup,
                                         const Options& options, LoneRun lone = LoneRun::Simulated);

/// All figures. @cost O(jobs log jobs)
Metrics metrics_of(const Outcome& outcome, const Setup& setup, const Options& options);

}  // namespace wm::replay
