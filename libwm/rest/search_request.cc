#include "libwm/rest/search_request.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/rest/exec_json.h"
#include "libwm/rest/json_text.h"
#include "libwm/rest/letters.h"
#include "libwm/rest/url.h"

namespace wm::rest {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr double kMostCount = 1e6;

Error bad(const std::string& field, const std::string& what) {
  return fail(Code::BadArgument, field + ": " + what);
}

const Json& at(const Json& json, const char* key) {
  static const Json kNothing;
  if (!json.is_object()) return kNothing;
  auto found = json.find(key);
  return found == json.end() ? kNothing : *found;
}

Result<std::string> text_in(const Json& json, const std::string& field) {
  if (json.is_null()) return std::string();
  if (!json.is_string()) return bad(field, "a text is wanted");
  return json.get<std::string>();
}

// A whole number, also as text; -1 and what is missing are `none`.
Result<std::uint32_t> count_in(const Json& json, const std::string& field, std::uint32_t none) {
  if (json.is_null()) return none;
  double value = NAN;
  if (json.is_number()) value = json.get<double>();
  if (json.is_string()) {
    auto text = json.get<std::string>();
    char* end = nullptr;
    double read = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') value = read;
  }
  if (value == -1) return none;
  if (!(value >= 1 && value <= kMostCount) || value != std::floor(value))
    return bad(field, "-1 or a whole number from 1 to 1000000 is wanted");
  return static_cast<std::uint32_t>(value);
}

// The first that is there: clients spell it in three ways.
const Json& parallel_in(const Json& algo) {
  for (const char* key : {"maxParalleJobNum", "maxParalleJob", "maxParallelJobNum"})
    if (const auto& value = at(algo, key); !value.is_null()) return value;
  return at(algo, "maxParallelJob");
}

bool names_param(const Json& params, std::string_view name) {
  return std::ranges::any_of(params, [&](const Json& param) {
    const auto& own = at(param, "name");
    return own.is_string() && lowered(own.get<std::string>()) == name;
  });
}

Result<Json> params_in(const Json& algo) {
  Json params = at(algo, "algoParams");
  if (params.is_null()) params = Json::array();
  if (!params.is_array()) return bad("algoDef.algoParams", "a list is wanted");
  const auto& eta = at(algo, "hyperbandEta");
  if (!eta.is_null() && eta != 0 && !names_param(params, "eta"))
    params.push_back({{"name", "eta"}, {"value", eta}});
  return params;
}

Result<Json> additional_in(const Json& algo) {
  const auto& given = at(algo, "additionalMetrics");
  Json read = Json::object();
  if (given.is_null()) return read;
  if (!given.is_object()) return bad("algoDef.additionalMetrics", "an object is wanted");
  for (const auto& [name, word] : given.items()) {
    auto how = word.is_string() ? lowered(word.get<std::string>()) : "";
    read[name] = how == "minimize" || how == "maximize" ? how : "latest";
  }
  return read;
}

Result<void> add_goal(const Json& algo, Json& search) {
  WM_TRY(auto metric, text_in(at(algo, "objectiveMetric"), "algoDef.objectiveMetric"));
  if (metric.empty()) return bad("algoDef.objectiveMetric", "which metric is searched by?");
  WM_TRY(auto goal, text_in(at(algo, "objective"), "algoDef.objective"));
  goal = lowered(goal);
  if (!goal.empty() && goal != "minimize" && goal != "maximize")
    return bad("algoDef.objective", "'" + goal.substr(0, 40) + "': minimize or maximize is wanted");
  search["metric"] = metric;
  search["goal"] = goal.empty() ? "minimize" : goal;
  return {};
}

Result<void> add_space(const Json& data, Json& search) {
  for (auto [from, to] : {std::pair{"hyperParams", "space"}, {"experiments", "experiments"}}) {
    const auto& list = at(data, from);
    if (list.is_null()) continue;
    if (!list.is_array()) return bad(from, "a list is wanted");
    if (!list.empty()) search[to] = list;
  }
  if (!search.contains("space") && !search.contains("experiments"))
    return bad("hyperParams", "no parameter to search over");
  return {};
}

struct BuiltIn {
  const char *name, *params;
};
constexpr BuiltIn kBuiltIn[] = {
    {"auto", "Grace"},
    {"Random", "RandomSeed"},
    {"TPE", "RandomSeed, WarmUp, EICandidate, GoodRatio, GoodMax"},
    {"Bayesian", "RandomSeed, InitPoints, CubeSize, Noiseless"},
    {"Hyperband", "RandomSeed, eta, ResourceName, ResourceValue"},
    {"ASHA", "RandomSeed, eta, Grace, ResourceName, ResourceValue"},
    {"ExperimentGridSearch", ""},
};

}  // namespace

Result<SearchRequest> read_search_request(std::string_view data) {
  WM_TRY(auto json, object_in<Json>(data));
  const auto& algo = at(json, "algoDef");
  if (!algo.is_object()) return bad("algoDef", "an object is wanted");
  SearchRequest request;
  WM_TRY(request.name, text_in(at(json, "hpoName"), "hpoName"));
  if (!request.name.empty()) WM_TRY(check_search_name(request.name));
  WM_TRY(request.args, text_in(at(at(json, "modelSpec"), "args"), "modelSpec.args"));
  if (request.args.empty()) return bad("modelSpec.args", "what is to be run?");
  request.first_generation = at(json, "modelSpec").contains("sigName");
  WM_TRY(request.algorithm, text_in(at(algo, "algorithm"), "algoDef.algorithm"));
  WM_TRY(request.at_once, count_in(parallel_in(algo), "algoDef.maxParalleJobNum", 1));
  WM_TRY(request.most, count_in(at(algo, "maxJobNum"), "algoDef.maxJobNum", 0));
  WM_TRY(auto minutes, count_in(at(algo, "maxRunTime"), "algoDef.maxRunTime", 0));
  Json search{{"algorithm", request.algorithm.empty() ? "auto" : request.algorithm}};
  WM_TRY(search["params"], params_in(algo));
  WM_TRY(add_goal(algo, search));
  WM_TRY(add_space(json, search));
  if (request.most > 0) search["max_trials"] = request.most;
  if (minutes > 0) search["max_run_s"] = std::uint64_t{minutes} * 60;
  WM_TRY(auto additional, additional_in(algo));
  if (!additional.empty()) search["additional_metrics"] = std::move(additional);
  request.search = wm::to_text(search);
  return request;
}

std::string creation_json(const std::string& name, bool first_generation) {
  if (first_generation) return json_text(name);
  return wm::to_text(
      {{"uid", name}, {"href", "/platform/rest/deeplearning/v1/hypersearch/" + escaped(name)}});
}

Result<void> check_search_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName)
    return bad("hpoName", "a name of 1 to 128 bytes is wanted");
  for (unsigned char c : name)
    if (c < 0x20 || c == 0x7f || c == '/' || c == '[' || c == ']' || c == '%' || c == '*')
      return bad("hpoName", "'" + std::string(name.substr(0, 40)) +
                                "': no control characters, and none of / [ ] % *");
  if (name == "algorithm" || name == "." || name == "..")
    return bad("hpoName", "'" + std::string(name) + "' is taken by an address");
  return {};
}

std::string judged(const SearchRequest& request) {
  if (is_built_in(request.algorithm)) return request.search;
  auto json = json_or_null(request.search);
  json["algorithm"] = "Random";
  json.erase("params");
  return wm::to_text(json);
}

std::string of_plugin(std::string_view search, std::string_view plugin) {
  auto json = json_or_null(search);
  json["plugin"] = plugin;
  return wm::to_text(json);
}

Result<PluginRequest> read_plugin_request(std::string_view data) {
  WM_TRY(auto json, object_in<Json>(data));
  PluginRequest plugin;
  WM_TRY(plugin.name, text_in(at(json, "name"), "name"));
  if (plugin.name.empty()) return bad("name", "what is the plugin called?");
  auto named = check_search_name(plugin.name);
  if (!named || plugin.name.front() == '.' || plugin.name == "install")
    return bad("name", "'" + plugin.name.substr(0, 40) + "' cannot be a plugin's name");
  if (is_built_in(plugin.name))
    return fail(Code::Conflict, "name: there is an algorithm " + plugin.name);
  WM_TRY(plugin.path, text_in(at(json, "path"), "path"));
  WM_TRY(plugin.conda_home, text_in(at(json, "condaHome"), "condaHome"));
  WM_TRY(plugin.conda_env, text_in(at(json, "condaEnv"), "condaEnv"));
  WM_TRY(plugin.log_level, text_in(at(json, "logLevel"), "logLevel"));
  WM_TRY(plugin.limit_s, count_in(at(json, "limitSeconds"), "limitSeconds", 0));
  return plugin;
}

std::string plugin_json(const PluginRequest& plugin, std::string_view creator,
                        std::string_view created) {
  return wm::to_text({{"name", plugin.name},
                      {"path", plugin.path},
                      {"condaHome", plugin.conda_home},
                      {"condaEnv", plugin.conda_env},
                      {"creator", creator},
                      {"createtime", created},
                      {"type", "USER_PLUGIN"},
                      {"remoteExec", false},
                      {"logLevel", plugin.log_level.empty() ? "INFO" : plugin.log_level},
                      {"limitSeconds", plugin.limit_s}});
}

Result<std::string> optimizer_json(std::string_view search, std::string_view plugin,
                                   std::uint32_t at_once) {
  auto asked = json_or_null(search), own = json_or_null(plugin);
  if (!asked.is_object() || !own.is_object()) return bad("plugin", "what is kept of it is damaged");
  auto text = [&](const char* key) {
    auto found = own.find(key);
    return found != own.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  auto home = text("condaHome"), env = text("condaEnv");
  Json python;
  if (!home.empty()) python = home + (env.empty() ? "" : "/envs/" + env) + "/bin/python";
  return wm::to_text({{"name", text("name")},
                      {"search", std::move(asked)},
                      {"at_once", at_once},
                      {"limit_s", own.contains("limitSeconds") ? own["limitSeconds"] : Json()},
                      {"log_level", text("logLevel")},
                      {"python", std::move(python)}});
}

// FNV-1a: the same everywhere.
std::string with_seed(std::string_view search, std::string_view name) {
  auto json = json_or_null(search);
  if (!json.is_object() || json.contains("seed")) return std::string(search);
  std::uint64_t sum = 14695981039346656037ULL;
  for (unsigned char c : name) sum = (sum ^ c) * 1099511628211ULL;
  json["seed"] = sum >> 12;  // whole also where numbers are doubles
  return wm::to_text(json);
}

bool is_built_in(std::string_view algorithm) {
  return algorithm.empty() || std::ranges::any_of(kBuiltIn, [&](const BuiltIn& known) {
           return lowered(known.name) == lowered(algorithm);
         });
}

Result<std::string> built_in_json(std::string_view name) {
  Json all = Json::array();
  for (const auto& known : kBuiltIn) {
    Json one{{"name", known.name}, {"type", "BUILD_IN"}, {"creator", ""}, {"params", known.params}};
    if (lowered(known.name) == lowered(name)) return wm::to_text(one);
    all.push_back(std::move(one));
  }
  if (name.empty()) return wm::to_text(all);
  return fail(Code::NotFound, "algorithm " + std::string(name) + " does not exist");
}

}  // namespace wm::rest
