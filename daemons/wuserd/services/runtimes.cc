#include "daemons/wuserd/services/runtimes.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "daemons/wuserd/catalog/catalog.h"
#include "libwm/base/clock.h"
#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/frameworks.h"
#include "libwm/serve/model.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLongestRuntime{64 << 10};

std::mutex runtimes_lock;

std::string runtimes_folder(const Site& site) { return site.own_dir + "/runtimes"; }

std::string file_of_runtime(const Site& site, const std::string& type) {
  return runtimes_folder(site) + "/" + type + ".json";
}

// None of that name: an empty text.
std::string kept_text(const Site& site, const std::string& type) {
  if (!serve::is_service_name(type)) return "";
  auto text = read_file(file_of_runtime(site, type), kLongestRuntime);
  return text ? *text : "";
}

std::vector<std::string> kept_types(const Site& site) {
  std::vector<std::string> types;
  std::error_code ec;
  for (fs::directory_iterator at(runtimes_folder(site), ec), end; !ec && at != end;
       at.increment(ec))
    if (at->path().extension() == ".json") types.push_back(at->path().stem().string());
  std::sort(types.begin(), types.end());
  return types;
}

Error no_runtime(const std::string& type) {
  return fail(Code::NotFound, "runtime " + type + " does not exist");
}

serve::Runtime as_runtime(const Framework& framework) {
  serve::Runtime runtime;
  runtime.type = framework.name;
  runtime.before = "";
  runtime.conda_home = framework.conda_home;
  runtime.conda_env = framework.conda_env;
  runtime.venv = framework.venv;
  runtime.envs.assign(framework.exports.begin(), framework.exports.end());
  return runtime;
}

}  // namespace

Result<serve::Runtime> find_runtime(Site& site, const std::string& type) {
  if (serve::is_own_python(type)) return serve::Runtime{};
  if (auto text = kept_text(site, type); !text.empty())
    return serve::read_runtime("{}", text, wall_now());
  WM_TRY(auto known, known_frameworks(site));
  if (auto framework = rest::find_framework(known, type)) return as_runtime(*framework);
  std::vector<std::string> there{"python", "dlipy3"};
  for (const auto& own : kept_types(site)) there.push_back(own);
  return fail(Code::BadArgument, "model.json: runtime: there is no " + type + "; there are " +
                                     joined(there, ", ") + ", and frameworks by their names");
}

Result<std::string> runtime_text(Site& site, const std::string& type) {
  if (auto text = kept_text(site, type); !text.empty()) return text;
  for (const auto& own : json_or_null(serve::own_pythons_json()))
    if (own.value("type", "") == type) return to_text(own);
  return no_runtime(type);
}

std::string runtimes_json(Site& site) {
  Json all = json_or_null(serve::own_pythons_json());
  for (const auto& type : kept_types(site))
    if (auto one = json_or_null(kept_text(site, type)); one.is_object())
      all.push_back(std::move(one));
  return to_text({{"schema_version", "1"}, {"runtimes", std::move(all)}});
}

Result<void> keep_runtime(Site& site, const std::string& type, const std::string& json,
                          bool again) {
  std::lock_guard lock(runtimes_lock);
  auto old = again ? kept_text(site, type) : std::string();
  if (again && old.empty()) return no_runtime(type);
  WM_TRY(auto runtime, serve::read_runtime(json, old, wall_now()));
  if (again && runtime.type != type)
    return fail(Code::BadArgument, "runtime: type: '" + runtime.type + "' is not " + type);
  if (!again && !kept_text(site, runtime.type).empty())
    return fail(Code::Conflict, "runtime " + runtime.type + " is there already");
  std::error_code ec;
  fs::create_directories(runtimes_folder(site), ec);
  return replace_file(file_of_runtime(site, runtime.type), runtime.text, 0600);
}

Result<void> remove_runtime(Site& site, const std::string& type) {
  std::lock_guard lock(runtimes_lock);
  if (serve::is_own_python(type)) return fail(Code::Denied, "runtime " + type + " comes with WM");
  std::error_code ec;
  if (serve::is_service_name(type) && fs::remove(file_of_runtime(site, type), ec)) return {};
  return no_runtime(type);
}

}  // namespace wm::user
