// A search and its history from JSON, an answer to it. What a client wrote
// wrong is an Error that names it; what trials reported wrong is as if it were
// not there.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "libwm/base/json.h"
#include "libwm/search/quick_trial.h"
#include "libwm/search/raw_json.h"
#include "libwm/search/read_json.h"
#include "libwm/search/task.h"

namespace wm::search {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostParams = 500, kMostExperiments = 100000, kMostTrials = 1000000;
constexpr std::size_t kMostKnown = 10000;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

Error bad(std::string what) { return fail(Code::BadArgument, std::move(what)); }

Result<Json> parsed(std::string_view text, const char* what) {
  if (text.size() > kMostBytes) return fail(Code::Limit, std::string(what) + " is too large");
  auto json = parse_json<Json>(text);
  if (!json) return bad(std::string(what) + " is not JSON");
  return json;
}

Result<Algorithm> algorithm_of(const Json& json) {
  if (json.is_null()) return Algorithm::Auto;
  static const std::pair<const char*, Algorithm> kWords[] = {
      {"auto", Algorithm::Auto},
      {"random", Algorithm::Random},
      {"tpe", Algorithm::Tpe},
      {"bayesian", Algorithm::Bayesian},
      {"hyperband", Algorithm::Hyperband},
      {"asha", Algorithm::Halving},
      {"experimentgridsearch", Algorithm::Grid}};
  auto word = lower(read_text(json));
  for (const auto& [name, algorithm] : kWords)
    if (word == name) return algorithm;
  return bad("algorithm '" + read_text(json).substr(0, 40) +
             "': auto, Random, TPE, Bayesian, Hyperband, ASHA or "
             "ExperimentGridSearch is wanted");
}

// One algoParam: a number within bounds; its reason otherwise.
struct Numeric {
  const char* name;
  double least, most;
  void (*set)(Search& search, double number);
};
constexpr double kBig = 1e6;
constexpr Numeric kNumeric[] = {
    {"randomseed", -1e18, 1e19,
     [](Search& s, double n) {
       s.seed = n < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(n))
                      : static_cast<std::uint64_t>(n);
     }},
    {"warmup", 3, kBig, [](Search& s, double n) { s.options.warm_up = static_cast<unsigned>(n); }},
    {"eicandidate", 2, 10000,
     [](Search& s, double n) { s.options.candidates = static_cast<unsigned>(n); }},
    {"goodratio", 1e-9, kBig, [](Search& s, double n) { s.options.good_ratio = n; }},
    {"goodmax", 2, kBig,
     [](Search& s, double n) { s.options.good_max = static_cast<unsigned>(n); }},
    {"initpoints", 1, kBig,
     [](Search& s, double n) { s.options.init_points = static_cast<unsigned>(n); }},
    {"cubesize", 1, 1e12, [](Search&, double) {}},  // ours needs no list of points to choose from
    {"eta", 1.5, 100, [](Search& s, double n) { s.options.eta = n; }},
    {"hyperbandeta", 1.5, 100, [](Search& s, double n) { s.options.eta = n; }},
    {"grace", 1, 1e9, [](Search& s, double n) { s.options.grace = static_cast<unsigned>(n); }},
    {"resourcevalue", 1, 1e9,
     [](Search& s, double n) { s.options.resource_max = static_cast<unsigned>(n); }},
};

Result<void> set_param(Search& search, const std::string& name, const Json& value) {
  auto key = lower(name);
  if (key == "resourcename") {
    search.options.resource = read_text(value);
    return check_name(search.options.resource);
  }
  if (key == "noiseless") {
    search.options.noiseless = lower(read_text(value)) != "false";
    return {};
  }
  for (const auto& row : kNumeric) {
    if (key != row.name) continue;
    auto number = read_number(value);
    if (!number || *number < row.least || *number > row.most)
      return bad("'" + read_text(value).substr(0, 40) + "' is out of its bounds");
    row.set(search, *number);
  }
  return {};  // those of other algorithms and of plugins are theirs
}

// {name: value}, or [{name, value}] as clients send it.
Result<void> read_params(const Json& params, Search& search) {
  if (params.is_null()) return {};
  if (!params.is_object() && !params.is_array()) return bad("params is not an object");
  for (const auto& [key, value] : params.items()) {
    auto name = params.is_object() ? key : read_text(at(value, "name"));
    auto done = set_param(search, name, params.is_object() ? value : at(value, "value"));
    if (!done) return done.error().within("algoParam '" + name.substr(0, 40) + "'");
  }
  return {};
}

Result<void> name_parents(std::vector<ReadParam>& read) {
  for (auto& [param, when] : read)
    for (auto& [parent, values] : when) {
      auto found = std::ranges::find(read, parent, [](const auto& r) { return r.param.name; });
      if (found == read.end())
        return bad("parameter '" + param.name + "': its condition names '" + parent.substr(0, 40) +
                   "', which is no parameter");
      param.when.push_back({static_cast<std::size_t>(found - read.begin()), std::move(values)});
    }
  return {};
}

Result<Space> read_space(const Json& list) {
  if (!list.is_array() || list.empty()) return bad("the space has no parameters");
  if (list.size() > kMostParams)
    return fail(Code::Limit,
                "the space has more than " + std::to_string(kMostParams) + " parameters");
  std::vector<ReadParam> read;
  std::set<std::string> names;
  for (const auto& item : list) {
    WM_TRY(auto param, read_param(item));
    if (!names.insert(param.param.name).second)
      return bad("parameter '" + param.param.name + "' is there twice");
    read.push_back(std::move(param));
  }
  WM_TRY(name_parents(read));
  std::vector<Param> params;
  for (auto& [param, when] : read) params.push_back(std::move(param));
  return space_of(std::move(params));
}

Result<Config> read_experiment(const Json& json) {
  Config config;
  const auto& params = at(json, "hyperParams");
  if (!params.is_array() || params.empty()) return bad("it has no hyperParams");
  for (const auto& item : params) {
    auto name = read_text(at(item, "name"));
    WM_TRY(check_name(name));
    if (std::ranges::find(config, name, &Setting::name) != config.end())
      return bad("parameter '" + name + "' is there twice");
    auto value = read_value(at(item, "fixedVal"), read_text(at(item, "dataType")));
    if (!value) return value.error().within("parameter '" + name + "'");
    config.push_back({name, std::move(*value)});
  }
  return config;
}

Result<void> read_experiments(const Json& list, Search& search) {
  if (!list.is_array()) return bad("experiments is not a list");
  if (list.size() > kMostExperiments)
    return fail(Code::Limit, "more than " + std::to_string(kMostExperiments) + " experiments");
  for (const auto& json : list) {
    auto config = read_experiment(json);
    if (!config)
      return config.error().within("experiment " + std::to_string(search.experiments.size()));
    search.experiments.push_back(std::move(*config));
  }
  return {};
}

Result<void> read_limits(const Json& json, Search& search) {
  if (const auto& most = at(json, "max_trials"); !most.is_null()) {
    auto number = read_number(most);
    if (!number || *number != std::floor(*number) || *number < -1 || *number == 0 ||
        *number > static_cast<double>(kMostTrials))
      return bad("max_trials is not -1 or a number up to " + std::to_string(kMostTrials));
    if (*number > 0) search.max_trials = static_cast<std::uint32_t>(*number);
  }
  if (const auto& seed = at(json, "seed"); seed.is_number_integer())
    search.seed = seed.is_number_unsigned() ? seed.get<std::uint64_t>()
                                            : static_cast<std::uint64_t>(seed.get<std::int64_t>());
  return {};
}

Result<void> read_goal(const Json& json, Search& search) {
  search.metric = read_text(at(json, "metric"));
  if (search.metric.empty()) return bad("metric is missing");
  auto goal = lower(read_text(at(json, "goal")));
  if (!goal.empty() && goal != "minimize" && goal != "maximize")
    return bad("goal '" + goal.substr(0, 40) + "': minimize or maximize is wanted");
  search.maximize = goal == "maximize";
  return {};
}

bool is_given(const Json& list) { return list.is_array() ? !list.empty() : !list.is_null(); }

std::optional<double> signed_number(const Json& json, bool maximize) {
  auto number = read_number(json);
  return number && maximize ? -*number : number;
}

// {"min", "max", "latest"}: the best of them under the goal; a number alone is
// all three.
std::optional<double> best_of(const Json& metric, bool maximize) {
  if (!metric.is_object()) return signed_number(metric, maximize);
  auto best = signed_number(at(metric, maximize ? "max" : "min"), maximize);
  return best ? best : signed_number(at(metric, "latest"), maximize);
}

std::optional<double> step_of(const Json& metrics, const std::string& resource) {
  for (const auto& key :
       {resource, std::string("step"), std::string("steps"), std::string("epoch")}) {
    const auto& metric = at(metrics, key.c_str());
    auto step = read_number(metric.is_object() ? at(metric, "latest") : metric);
    if (step && !key.empty()) return step;
  }
  return {};
}

void read_config(const Json& json, const Search& search, Trial& trial) {
  if (!json.is_object()) return;
  for (const auto& [name, json_value] : json.items()) {
    if (name == kResume) {
      auto from = read_number(json_value).value_or(0);
      if (from > 0 && from < trial.index) trial.resumed_from = static_cast<std::uint32_t>(from);
    } else if (name == search.options.resource) {
      trial.resource = read_number(json_value).value_or(0);
    } else if (auto value = read_value(json_value, "")) {
      trial.config.push_back({name, std::move(*value)});
    }
  }
  if (!search.space.params.empty()) trial.point = point_of(search.space, trial.config);
}

void read_reports(const Json& list, bool maximize, Trial& trial) {
  if (!list.is_array()) return;
  for (const auto& pair : list) {
    if (!pair.is_array() || pair.size() != 2) continue;
    auto step = read_number(pair[0]), value = signed_number(pair[1], maximize);
    if (step && value) trial.reports.push_back({*step, *value});
  }
  std::ranges::stable_sort(trial.reports, {}, &Report::step);
}

Trial read_trial(const Json& json, const Search& search, std::uint32_t index) {
  Trial trial;
  trial.index = index;
  trial.state = state_named(read_text(at(json, "state")));
  read_config(at(json, "config"), search, trial);
  const auto& metrics = at(json, "metrics");
  trial.value = best_of(at(metrics, search.metric.c_str()), search.maximize);
  trial.step = step_of(metrics, search.options.resource);
  const auto& reports = at(json, "reports");
  const auto& metric = at(metrics, search.metric.c_str());
  read_reports(reports.is_null() ? at(metric, "course") : reports, search.maximize, trial);
  return trial;
}

// What an earlier search found; entries that are none of this space do not disturb.
Result<void> read_known(const Json& list, Search& search) {
  if (list.is_null()) return {};
  if (!list.is_array()) return bad("known is not a list");
  if (list.size() > kMostKnown)
    return fail(Code::Limit, "more than " + std::to_string(kMostKnown) + " known trials");
  for (const auto& item : list) {
    Trial trial;
    trial.state = TrialState::Finished;
    read_config(at(item, "config"), search, trial);
    trial.value = signed_number(at(item, "value"), search.maximize);
    if (trial.point && trial.value) search.known.push_back(std::move(trial));
  }
  return {};
}

Json json_of(const Value& value) {
  return std::visit([](const auto& held) -> Json { return held; }, value);
}

}  // namespace

Result<Search> read_search(std::string_view text) {
  WM_TRY(auto json, parsed(text, "the search"));
  if (!json.is_object()) return bad("the search is not an object");
  Search search;
  WM_TRY(search.algorithm, algorithm_of(at(json, "algorithm")));
  WM_TRY(read_limits(json, search));
  WM_TRY(read_params(at(json, "params"), search));
  WM_TRY(read_goal(json, search));
  const auto &space = at(json, "space"), &experiments = at(json, "experiments");
  if (is_given(experiments)) {
    if (search.algorithm != Algorithm::Grid)
      return bad("experiments are for ExperimentGridSearch only");
    if (is_given(space)) return bad("experiments and hyperParams exclude each other");
    WM_TRY(read_experiments(experiments, search));
    return search;
  }
  WM_TRY(search.space, read_space(space));
  WM_TRY(read_known(at(json, "known"), search));
  return search;
}

Result<History> read_history(std::string_view text, const Search& search) {
  if (text.size() > kMostBytes) return fail(Code::Limit, "the history is too large");
  auto parts = raw_parts(text, false);
  if (!parts) return bad("the history is not a list");
  if (parts->size() > kMostTrials) return fail(Code::Limit, "the history is too long");
  History history;
  history.reserve(parts->size());
  for (const auto& part : *parts) {  // one after the other: they use the same memory again
    auto index = static_cast<std::uint32_t>(history.size() + 1);
    if (auto trial = quick_trial(part.text, search, index)) {
      if (!search.space.params.empty()) trial->point = point_of(search.space, trial->config);
      history.push_back(std::move(*trial));
      continue;
    }
    auto item = parse_json<Json>(part.text);
    if (!item) return bad("the history is not JSON");
    history.push_back(read_trial(*item, search, index));
  }
  return history;
}

std::string written(const Answer& answer) {
  Json json{{"configs", Json::array()}, {"stop", answer.stop}, {"done", answer.done}};
  for (const auto& config : answer.configs) {
    auto& object = json["configs"].emplace_back(Json::object());
    for (const auto& [name, value] : config) object[name] = json_of(value);
  }
  return to_text(json);
}

}  // namespace wm::search
