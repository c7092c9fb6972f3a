// The rows of /api/v1 about models: saved from a run, promoted to a space, deployed from there.
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "daemons/wuserd/assets.h"
#include "daemons/wuserd/dlim.h"
#include "daemons/wuserd/execs.h"
#include "daemons/wuserd/outputs.h"
#include "daemons/wuserd/packages.h"
#include "libwm/rest/exec_words.h"

namespace wm::user {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestBody = 1 << 20;

Assets projects_of(const Call& call) { return Assets(call.site.results_root + "/projects"); }
Assets spaces_of(const Call& call) { return Assets(call.site.results_root + "/spaces"); }

Answer done() { return http::Reply{204, {}, ""}; }

Result<Json> json_in(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestBody));
  auto json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return fail(Code::BadArgument, "a JSON object is wanted");
  return json;
}

Result<std::string> text_in(const Json& json, const char* key) {
  auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::string();
  if (!found->is_string()) return fail(Code::BadArgument, std::string(key) + ": a text is wanted");
  return found->get<std::string>();
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What a page draws a sample for, as the run's script left it.
Json signature_of(const std::string& package) {
  auto text = read_file(package + "/signature.json");
  auto json = text ? Json::parse(*text, nullptr, false) : Json();
  return json.is_object() ? json : Json::object();
}

Json shown(const Assets& assets, const std::string& owner, const rest::SavedModel& model) {
  Json json = Json::parse(rest::to_text(model));
  json["signature"] = signature_of(assets.package(owner, model.name));
  return json;
}

Json list(const Assets& assets, const std::string& owner) {
  Json found = Json::array();
  for (const auto& model : assets.models(owner)) found.push_back(shown(assets, owner, model));
  return found;
}

Result<Answer> models(Call& call) {
  auto assets = projects_of(call);
  Json found = Json::array();
  for (const auto& project : assets.projects())
    for (auto& model : list(assets, project.name)) {
      model["project"] = project.name;
      found.push_back(std::move(model));
    }
  return json_reply(dumped({{"models", found}}));
}

Result<Answer> project_models(Call& call) {
  auto assets = projects_of(call);
  WM_TRY(auto project, assets.project(call.args[0]));
  return json_reply(dumped({{"models", list(assets, project.name)}}));
}

// "mnist" of --cs-datastore-meta type=fs,data_path=mnist.
std::string data_of(const Execution& exec) {
  auto at = exec.args.find("data_path=");
  if (at == exec.args.npos) return "";
  at += 10;
  return exec.args.substr(at, exec.args.find_first_of(" ,", at) - at);
}

void describe(const Call& call, const JobView& run, rest::SavedModel& model) {
  const auto& exec = run.job->spec().exec;
  model.run = exec_id(call.site.conf.name, run.id);
  model.framework = exec.framework;
  model.user = call.site.user;
  model.code_hash = tree_hash(code_folder(run));
  model.data = data_of(exec);
  model.saved = std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count();
  auto metrics = metrics_of(run.result_dir);
  for (const auto& [key, points] : metrics.series())
    if (!points.empty())
      model.metrics.emplace_back(key.first == "test" ? key.second : key.first + " " + key.second,
                                 points.back().value);
}

Result<Answer> save(Call& call) {
  auto assets = projects_of(call);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(auto json, json_in(call));
  WM_TRY(auto wanted, serve::read_wanted(json.dump()));
  WM_TRY(auto run_id, text_in(json, "run"));
  WM_TRY(auto run, find_own_job(call.site, run_id));
  if (assets.model(project.name, wanted.name))
    return fail(Code::Conflict, "model " + wanted.name + " is in " + project.name + " already");
  Scratch scratch(call.site);
  auto package = scratch.path + "/package";
  WM_TRY(make_package(run, wanted, package));
  WM_TRY(auto text, read_file(package + "/model.json"));
  rest::SavedModel model;
  model.name = wanted.name;
  model.project = project.name;
  WM_TRY(model.description, text_in(json, "description"));
  model.weight = Json::parse(text).value("weight_path", "");
  describe(call, run, model);
  WM_TRY(assets.keep(project.name, model, package));
  return json_reply(dumped(shown(assets, project.name, model)), 201);
}

Result<Answer> remove(Call& call) {
  WM_TRY(projects_of(call).remove_model(call.args[0], call.args[1]));
  return done();
}

Result<Answer> promote(Call& call) {
  auto assets = projects_of(call), spaces = spaces_of(call);
  WM_TRY(auto json, json_in(call));
  WM_TRY(auto to, text_in(json, "space"));
  WM_TRY(auto space, spaces.space(to));
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(auto model, assets.model(project.name, call.args[1]));
  if (spaces.model(space.name, model.name))
    return fail(Code::Conflict, "model " + model.name + " is in " + space.name + " already");
  Scratch scratch(call.site);
  auto package = scratch.path + "/package";
  WM_TRY(copy_folder(assets.package(project.name, model.name), package));
  WM_TRY(spaces.keep(space.name, model, package));
  return json_reply(dumped(shown(spaces, space.name, model)), 201);
}

Result<Json> deployments(Call& call, const std::string& space) {
  Json found = Json::array();
  for (const auto& service : all_services(call.site)) {
    if (service.record.space != space) continue;
    WM_TRY(auto job, service_job(call.site, service));
    found.push_back({{"name", service.name},
                     {"model", service.record.model},
                     {"version", service.record.version},
                     {"state", job ? "Started" : "Stopped"}});
  }
  return found;
}

Result<Answer> spaces(Call& call) {
  auto assets = spaces_of(call);
  Json found = Json::array();
  for (const auto& space : assets.spaces()) {
    Json json = Json::parse(rest::to_text(space));
    json["models"] = assets.models(space.name).size();
    WM_TRY(auto deployed, deployments(call, space.name));
    json["deployments"] = deployed.size();
    found.push_back(std::move(json));
  }
  return json_reply(dumped({{"spaces", found}}));
}

Result<Answer> keep_space(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestBody));
  WM_TRY(auto space, rest::parse_space(body));
  WM_TRY(spaces_of(call).keep(space));
  return json_reply(rest::to_text(space), 201);
}

Result<Answer> space(Call& call) {
  auto assets = spaces_of(call);
  WM_TRY(auto space, assets.space(call.args[0]));
  Json json = Json::parse(rest::to_text(space));
  json["models"] = list(assets, space.name);
  WM_TRY(json["deployments"], deployments(call, space.name));
  return json_reply(dumped(json));
}

Result<Answer> remove_space(Call& call) {
  WM_TRY(spaces_of(call).remove_space(call.args[0]));
  return done();
}

// What a service was made of may go: the service has its own copy.
Result<Answer> remove_promoted(Call& call) {
  WM_TRY(spaces_of(call).remove_model(call.args[0], call.args[1]));
  return done();
}

// {policy: {…}} and the like of the request, in the plan of its space.
std::string profile_text(const Json& asked, const rest::Space& space) {
  Json profile = asked.contains("profile") ? asked["profile"] : Json::object();
  if (profile.is_object() && !space.plan.empty()) {
    Json plan{{"resource_allocation", {{"kernel", {{"resource_plan", space.plan}}}}}};
    plan.merge_patch(profile);
    profile = std::move(plan);
  }
  return profile.empty() && profile.is_object() ? std::string() : dumped(profile);
}

Result<Answer> deploy(Call& call) {
  auto assets = spaces_of(call);
  WM_TRY(auto space, assets.space(call.args[0]));
  WM_TRY(auto model, assets.model(space.name, call.args[1]));
  WM_TRY(auto json, json_in(call));
  WM_TRY(auto name, text_in(json, "name"));
  if (name.empty()) name = model.name;
  Scratch scratch(call.site);
  Placing placing{scratch.path + "/package", "", profile_text(json, space), space.name, model.name};
  WM_TRY(copy_folder(assets.package(space.name, model.name), placing.package));
  WM_TRY(auto text, read_file(placing.package + "/model.json"));
  WM_TRY(auto renamed, serve::renamed_model(text, name));
  WM_TRY(write_file(placing.package + "/model.json", renamed));
  WM_TRY(auto service, place_package(call.site, placing));
  if (json.value("start", Json(true)) == Json(true)) WM_TRY(start_service(call.site, name));
  return json_reply(dumped({{"name", service.name}}), 201);
}

}  // namespace

#define API "/api/v1"
const std::vector<Route>& model_routes() {
  static const std::vector<Route> routes{
      {"GET", API "/models", models},
      {"GET", API "/projects/{project}/models", project_models},
      {"POST", API "/projects/{project}/models", save},
      {"DELETE", API "/projects/{project}/models/{name}", remove},
      {"POST", API "/projects/{project}/models/{name}/promote", promote},
      {"GET", API "/spaces", spaces},
      {"POST", API "/spaces", keep_space},
      {"GET", API "/spaces/{space}", space},
      {"DELETE", API "/spaces/{space}", remove_space},
      {"DELETE", API "/spaces/{space}/models/{name}", remove_promoted},
      {"POST", API "/spaces/{space}/models/{name}/deploy", deploy},
  };
  return routes;
}

}  // namespace wm::user
