// Role: a search and its history as values: what the samplers work on.
// Everywhere below a smaller value is a better one; a metric that is to be
// maximised has its sign turned. Of this folder only.
#pragma once

#include <map>
#include <optional>

#include "libwm/search/space.h"

namespace wm::search {

enum class Algorithm : std::uint8_t { Auto, Random, Grid, Tpe, Bayesian, Hyperband, Halving };

/// algoParams of wmla-surface 5.1, with their defaults.
struct Options {
  std::uint32_t warm_up = 20;      ///< trials drawn at random before the model of TPE is asked
  std::uint32_t candidates = 24;   ///< EICandidate
  double good_ratio = 0.25;        ///< share of sqrt(trials) that counts as good
  std::uint32_t good_max = 25;     ///< and at most so many
  std::uint32_t init_points = 10;  ///< of Bayesian
  std::optional<bool> noiseless;   ///< of Bayesian; none: yes, but not of auto (is_noiseless)
  double eta = 3;
  std::uint32_t grace = 0;         ///< steps before which no trial is stopped; 0: as it comes
  std::string resource;            ///< ResourceName; empty: none
  std::uint32_t resource_max = 0;  ///< ResourceValue
};

enum class TrialState : std::uint8_t { Pending, Running, Finished, Failed, Killed };

struct Report {
  double step = 0, value = 0;
};

struct Trial {
  std::uint32_t index = 0;
  TrialState state = TrialState::Pending;
  Config config;
  std::optional<Point> point;      ///< none: not of this space, as after a change of it
  std::optional<double> value;     ///< the best so far
  std::optional<double> step;      ///< how far it is, where it says
  std::vector<Report> reports;     ///< the course of the value, in the order of steps
  std::uint32_t resumed_from = 0;  ///< wm_resume; 0: begins anew
  double resource = 0;             ///< what it was given under ResourceName

  bool is_live() const { return state == TrialState::Pending || state == TrialState::Running; }
};
using History = std::vector<Trial>;

struct Search {
  Algorithm algorithm = Algorithm::Auto;
  Options options;
  std::string metric;
  bool maximize = false;
  Space space;
  std::vector<Config> experiments;
  std::optional<std::uint32_t> max_trials;
  std::uint64_t seed = 0;
  History known;  ///< finished trials of earlier searches: evidence for a model, none of its trials

  /// Is a metric believed to the last digit? Who leaves the choice to us trains networks, which say
  /// something else each time: a lucky one must not stay the best for good.
  bool is_noiseless() const { return options.noiseless.value_or(algorithm != Algorithm::Auto); }
};

struct Answer {
  std::vector<Config> configs;
  std::vector<std::uint32_t> stop;
  bool done = false;
};

/// The key under which a config says which trial it goes on from.
inline constexpr char kResume[] = "wm_resume";

/// A search and a history as their JSON (search.h).
/// @errors BadArgument: what is wrong, by its key; Limit: too large
Result<Search> read_search(std::string_view json);
Result<History> read_history(std::string_view json, const Search& search);
std::string written(const Answer& answer);

}  // namespace wm::search
