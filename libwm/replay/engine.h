// Role: virtual time: submissions and ends of jobs as events, a decision after each (or once an
// interval), and in between every job doing its work at the speed of its placement.
//
//   next of {submission, end, tick} → progress → Decider → changed placements cost a pause
//
// Invariants: same workload, same options, same outcome, bit for bit: no clock (the pass times
// come from a stopwatch that the rim brings), no unordered iteration. Called by bsim, tests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"
#include "libwm/replay/run.h"

namespace wm::replay {

/// Who decides.
enum class Policy : std::uint8_t {
  Fcfs,
  Easy,
  Conservative,
  Tiresias,
  Fairshare,
  Goodput,
  Ideal  ///< nobody: see ideal.h
};
/// What the scheduler knows of run times.
enum class Estimates : std::uint8_t { Exact, User, None };

/// The policy of that name. @errors BadArgument: none has it; names all
Result<Policy> policy_of(std::string_view name);
/// "exact", "user", "none". @errors BadArgument: another word
Result<Estimates> estimates_of(std::string_view name);

/// How to simulate. @units seconds
struct Options {
  Policy policy = Policy::Fairshare;
  Estimates estimates = Estimates::Exact;
  double interval_s = 0;                 ///< between decisions; 0: at every event
  double resize_cost_s = 0;              ///< lost by a job at every change of its placement
  std::shared_ptr<const Config> config;  ///< null: the built-in one
  std::function<double()> stopwatch;     ///< seconds; null: passes are not timed
  std::function<void(double)> progress;  ///< told the part that is done, 0..1; may be null
};

/// The cluster at an instant.
struct Sample {
  double at_s = 0;
  std::uint32_t busy = 0;                        ///< units held
  std::uint32_t running = 0, queued = 0;         ///< jobs
  std::map<std::string, std::uint32_t> by_user;  ///< units held
};

/// What came out.
struct Outcome {
  std::vector<JobRun> jobs;      ///< in the order of the workload, services left out
  std::vector<JobRun> services;  ///< in the order of the workload
  std::vector<Sample> samples;   ///< after every decision that changed something
  std::vector<double> pass_s;    ///< durations of scheduling passes
};

/// Simulates until every job has ended.
/// @errors Impossible: a job that the cluster can never run, or none runs and none starts
/// @cost O(events x pass)   @thread any
Result<Outcome> simulate(const Workload& workload, const Setup& setup, const Options& options);

}  // namespace wm::replay
