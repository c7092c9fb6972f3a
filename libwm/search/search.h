// Role: searches of hyperparameters: given what is searched for and the trials
// so far, what to try next. JSON in, JSON out, nothing kept: the same history
// with the same seed gives the same answer, on every platform. Pure; who calls
// it keeps the history, an entry a trial in the order in which they were given
// out.
//
//   search   {"algorithm":
//   "auto"|"Random"|"TPE"|"Bayesian"|"Hyperband"|"ASHA"|"ExperimentGridSearch",
//             "params": {algoParam: value}, "metric": "loss", "goal":
//             "minimize"|"maximize", "space": [hyperParams items],
//             "experiments": [...], "max_trials": N, "seed": n,
//             "known": [{"config": {...}, "value": n}]}    found by earlier searches:
//             evidence for auto, TPE and Bayesian, and not tried again
//   history  [{"index": 1, "config": {...}, "state":
//   "pending"|"running"|"finished"|"failed"|"killed",
//              "metrics": {"loss": {"min", "max", "latest", "course"}, "step": {...}},
//              "reports": [[step, value], ...]}]       the course of the metric; left
//              out: the metric's own "course", where it has one (stop)
//   answer   {"configs": [{name: value}], "stop": [index], "done": true|false}
//
// A config is flat, {name: value}; with a resource it has that too, and
// "wm_resume": index when it goes on from the end of an earlier trial. `stop`:
// running trials that need not run on. `done`: nothing comes after these
// configs; no configs without it: ask again when a trial has ended.
// @source wmla-surface 5
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::search {

/// Up to `wanted` configs to try next.
/// @errors BadArgument: search or history is not what it should be, named;
/// Limit: too large
/// @cost TPE O(trials · parameters · candidates) a config, Bayesian O(trials³)
/// @thread any
Result<std::string> suggest(std::string_view search, std::string_view history,
                            std::uint32_t wanted);

/// Whether a search can be carried out, before it begins. @errors as of suggest
Result<void> check(std::string_view search);

/// A trial that finished, and the best it reported.
struct Best {
  std::uint32_t index = 0;  ///< from 1
  double value = 0;         ///< its metric's least or greatest, by the goal
};

/// The best finished trial, the earliest of equal ones; none when none reported
/// a number.
/// @errors as of suggest
Result<std::optional<Best>> best(std::string_view search, std::string_view history);

}  // namespace wm::search
