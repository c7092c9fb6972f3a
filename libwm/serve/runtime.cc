#include "libwm/serve/runtime.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/base/single_quoted.h"
#include "libwm/serve/model.h"

namespace wm::serve {
namespace {

constexpr std::array<std::string_view, 2> kOwnPythons{"python", "dlipy3"};

Error bad_runtime(std::string_view key, std::string_view rule) {
  return fail(Code::BadArgument, "runtime: " + std::string(key) + ": " + std::string(rule));
}

std::int64_t epoch_of(WallTime when) {
  return std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
}

Json blank(std::string_view type) {
  return {{"schema_version", "1"},    {"type", type},
          {"launcher", ""},           {"conda_home", ""},
          {"conda_env_name", ""},     {"venv", ""},
          {"docker_img", ""},         {"pre_exec", ""},
          {"machine_type", "x86_64"}, {"description", ""},
          {"epoch_created", 0},       {"epoch_updated", 0},
          {"envs", Json::array()},    {"attributes", Json::array()}};
}

// The first key that is none, or has a value of another kind.
Result<void> check_shape(const Json& given, const Json& known) {
  for (const auto& [key, value] : given.items()) {
    auto found = known.find(key);
    if (found == known.end()) return bad_runtime(key, "no such key");
    bool same = found->is_number() ? value.is_number() : value.type() == found->type();
    if (!same)
      return bad_runtime(key, found->is_array()    ? "a list is wanted"
                              : found->is_string() ? "a text is wanted"
                                                   : "a number is wanted");
  }
  return {};
}

bool is_python_program(std::string_view launcher) {
  auto name = launcher.substr(launcher.rfind('/') + 1);
  return launcher.empty() || (name.starts_with("python") && launcher.find(' ') == launcher.npos);
}

Result<void> check_rules(const Runtime& r) {
  if (!is_service_name(r.type))
    return bad_runtime("type", "'" + r.type + "': letters, digits, '_', '-' and '.' are wanted");
  if (is_own_python(r.type)) return bad_runtime("type", r.type + " is there already");
  if (!is_python_program(r.launcher))
    return bad_runtime("launcher", "'" + r.launcher + "': a Python is wanted");
  if (r.conda_home.empty() != r.conda_env.empty())
    return bad_runtime("conda_env_name", "it goes with conda_home");
  for (auto [key, path] : {std::pair("conda_home", &r.conda_home), {"venv", &r.venv}})
    if (!path->empty() && path->front() != '/')
      return bad_runtime(key, "'" + *path + "': a whole path is wanted");
  if (!r.venv.empty() && !r.conda_home.empty())
    return bad_runtime("venv", "not together with conda_home");
  return {};
}

}  // namespace

bool is_own_python(std::string_view type) {
  return std::find(kOwnPythons.begin(), kOwnPythons.end(), type) != kOwnPythons.end();
}

std::string own_pythons_json() {
  Json list = Json::array();
  for (auto type : kOwnPythons) {
    auto one = blank(type);
    one["description"] = "the python3 of the hosts";
    list.push_back(std::move(one));
  }
  return to_text(list);
}

Result<Runtime> read_runtime(std::string_view given, std::string_view old, WallTime now) {
  auto own = json_or_null(given);
  if (!own.is_object()) return fail(Code::BadArgument, "runtime: a JSON object is wanted");
  auto before = json_or_null(old);
  auto json = before.is_object() ? before : blank("");
  WM_TRY(check_shape(own, json));
  json.merge_patch(own);
  if (!before.is_object()) json["epoch_created"] = epoch_of(now);
  json["epoch_updated"] = epoch_of(now);
  auto text = [&](const char* key) { return json[key].get<std::string>(); };
  Runtime runtime{text("type"),
                  text("launcher"),
                  text("conda_home"),
                  text("conda_env_name"),
                  text("venv"),
                  text("docker_img"),
                  text("pre_exec"),
                  {},
                  {}};
  WM_TRY(check_rules(runtime));
  for (const auto& entry : json["envs"]) {
    auto variable = read_variable(to_text(entry));
    if (!variable) return bad_runtime("envs", variable.error().text);
    runtime.envs.push_back(std::move(*variable));
  }
  runtime.text = to_text(json);
  return runtime;
}

std::string runtime_prelude(const Runtime& runtime) {
  std::string text;
  if (!runtime.conda_home.empty())
    text += ". " + single_quoted(runtime.conda_home + "/etc/profile.d/conda.sh") +
            " && conda activate " + single_quoted(runtime.conda_env) + " && ";
  if (!runtime.venv.empty()) text += ". " + single_quoted(runtime.venv + "/bin/activate") + " && ";
  if (!runtime.before.empty()) text += "{ " + runtime.before + "\n} && ";
  return text;
}

}  // namespace wm::serve
