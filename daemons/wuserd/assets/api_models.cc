// The rows of /api/v1 about models that were saved from a run.
#include <chrono>
#include <filesystem>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/assets/routes.h"
#include "daemons/wuserd/jobs/curves.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/packages.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/exec_words.h"

namespace wm::user {
namespace {

Json saved_json(const Assets& assets, const std::string& owner, const rest::SavedModel& model) {
  return json_or_null(model_text(assets, owner, model));
}

Json models_json(const Assets& assets, const std::string& owner) {
  Json found = Json::array();
  for (const auto& model : assets.models(owner)) found.push_back(saved_json(assets, owner, model));
  return found;
}

Result<Answer> models(Call& call) {
  auto assets = projects_of(call.site);
  Json found = Json::array();
  for (const auto& project : assets.projects())
    for (auto& model : models_json(assets, project.name)) {
      model["project"] = project.name;
      found.push_back(std::move(model));
    }
  return json_reply(to_text({{"models", found}}));
}

Result<Answer> project_models(Call& call) {
  auto assets = projects_of(call.site);
  WM_TRY(auto project, assets.project(call.args[0]));
  return json_reply(to_text({{"models", models_json(assets, project.name)}}));
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
  model.saved = now_s();
  const auto metrics = metrics_of(run.result_dir, {});
  for (const auto& [key, one] : metrics.series()) {
    if (key.first == rest::kSteps) continue;
    auto name = key.first == "test" ? key.second : key.first + " " + key.second;
    model.metrics.emplace_back(std::move(name), one.summary.last);
  }
}

Result<Answer> save(Call& call) {
  auto assets = projects_of(call.site);
  WM_TRY(auto project, assets.project(call.args[0]));
  Scratch scratch(call.site);
  auto package = scratch.path + "/package";
  WM_TRY(auto model, model_of_run(call, package));
  WM_TRY(auto keeping,
         keeping_of(call, "/api/v1/projects/" + project.name + "/models/" + model.name));
  model.project = project.name;
  WM_TRY(auto kept, assets.keep(project.name, model, package, keeping));
  return json_reply(to_text(saved_json(assets, project.name, kept)), 201);
}

}  // namespace

Result<rest::SavedModel> model_of_run(Call& call, const std::string& package) {
  WM_TRY(auto json, json_in(call));
  auto body = to_text(json);
  if (call.args.size() > 1) {
    WM_TRY(body, with_name(body, call.args[1]));
  }
  WM_TRY(auto wanted, serve::read_wanted(body));
  if (!rest::is_asset_name(wanted.name))
    return fail(Code::BadArgument, "name: letters, digits, '.', '_' and '-' are wanted");
  WM_TRY(auto run_id, text_in(json, "run"));
  WM_TRY(auto run, find_own_job(call.site, run_id));
  rest::SavedModel model;
  model.name = wanted.name;
  WM_TRY(make_package(run, wanted, package));
  WM_TRY(auto text, read_file(package + "/model.json"));
  WM_TRY(model.description, text_in(json, "description"));
  model.weight = json_or_null(text).value("weight_path", "");
  describe(call, run, model);
  return model;
}

#define API "/api/v1"
const std::vector<Route>& model_routes() {
  static const std::vector<Route> routes{
      {"GET", API "/models", models},
      {"GET", API "/projects/{project}/models", project_models},
      {"POST", API "/projects/{project}/models", save, "Saves the model of a run"},
      {"PUT", API "/projects/{project}/models/{name}", save,
       "Saves the model of a run as the next version of one"},
  };
  return routes;
}

}  // namespace wm::user
