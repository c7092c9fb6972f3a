// The rows of /api/v1 about projects: definitions, experiments, and running them.
#include <filesystem>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/assets/routes.h"
#include "daemons/wuserd/catalog/catalog.h"
#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/execs/exec_start.h"
#include "daemons/wuserd/files/upload.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/files/temp_folder.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/frameworks.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestAsset = 1 << 20;

Assets assets_of(const Call& call) { return Assets(call.site.results_root + "/projects"); }

template <class Asset>
Answer list_reply(const char* key, const std::vector<Asset>& assets) {
  std::vector<std::string> items;
  for (const auto& asset : assets) items.push_back(rest::to_text(asset));
  return json_reply("{\"" + std::string(key) + "\":" + rest::list_json(items) + "}");
}

Result<Answer> projects(Call& call) { return list_reply("projects", assets_of(call).projects()); }

Result<Answer> keep_project(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestAsset));
  WM_TRY(auto project, rest::parse_project(body));
  WM_TRY(assets_of(call).keep(project));
  return json_reply(rest::to_text(project), 201);
}

Result<Answer> definitions(Call& call) {
  WM_TRY(auto project, assets_of(call).project(call.args[0]));
  return list_reply("definitions", assets_of(call).definitions(project.name));
}

Result<Answer> keep_definition(Call& call) {
  auto assets = assets_of(call);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(auto folder, TempFolder::make(call.site.records.incoming(), "upload-"));
  WM_TRY(auto upload, receive(call.exchange, folder.path()));
  auto data = upload.fields.find("data");
  if (data == upload.fields.end())
    return fail(Code::BadArgument, "data: the definition as JSON is wanted");
  WM_TRY(auto definition, rest::parse_definition(data->second));
  WM_TRY(auto known, known_frameworks(call.site));
  WM_TRY(auto framework, rest::find_framework(known, definition.framework));
  definition.framework = framework.name;
  std::string code;
  if (!upload.files.empty()) {
    code = upload.files.front().path;
    definition.code_name = upload.files.front().name;
  }
  WM_TRY(assets.keep(project.name, definition, code));
  return json_reply(rest::to_text(definition), 201);
}

Result<Answer> remove_definition(Call& call) {
  WM_TRY(assets_of(call).remove_definition(call.args[0], call.args[1]));
  return done();
}

Result<Answer> experiments(Call& call) {
  WM_TRY(auto project, assets_of(call).project(call.args[0]));
  return list_reply("experiments", assets_of(call).experiments(project.name));
}

// What it names is there, and is brought to one place.
Result<void> check_sources(const Site& site, const rest::Project& project,
                           const rest::Experiment& experiment) {
  if (experiment.sources.empty()) return {};
  rest::ExecRequest request;
  WM_TRY(rest::add_exec_data(rest::data_of(project, experiment, {}), request));
  WM_TRY(resolve_assets(site, request));
  WM_TRY(rest::data_wish(request.sources));
  return {};
}

Result<Answer> keep_experiment(Call& call) {
  auto assets = assets_of(call);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(auto body, http::read_body(call.exchange, kLongestAsset));
  WM_TRY(auto experiment, rest::parse_experiment(body));
  WM_TRY(check_sources(call.site, project, experiment));
  auto before = assets.experiment(project.name, experiment.name);
  experiment.runs = before ? before->runs : std::vector<std::string>();
  WM_TRY(assets.keep(project.name, experiment));
  return json_reply(rest::to_text(experiment), 201);
}

Result<Answer> remove_experiment(Call& call) {
  WM_TRY(assets_of(call).remove_experiment(call.args[0], call.args[1]));
  return done();
}

// All or none: what is refused keeps the others from starting.
Result<Answer> run_experiment(Call& call) {
  auto assets = assets_of(call);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(auto experiment, assets.experiment(project.name, call.args[1]));
  if (experiment.definitions.empty())
    return fail(Code::BadArgument, "experiment " + experiment.name + " has no definition");
  std::vector<StoredCode> codes;
  for (const auto& name : experiment.definitions) {
    WM_TRY(auto definition, assets.definition(project.name, name));
    WM_TRY(auto args, rest::args_of(project, experiment, definition));
    codes.push_back({args, rest::data_of(project, experiment, definition),
                     assets.code(project.name, name), definition.code_name});
  }
  std::vector<std::string> begun;
  for (const auto& code : codes) {
    auto exec = start_stored(call.site, code);
    if (!exec && begun.empty()) return exec.error();
    if (!exec) break;  // those that began go on; what is told is which
    begun.push_back(exec_id(call.site.conf.name, exec->id));
    experiment.runs.push_back(begun.back());
  }
  WM_TRY(assets.keep(project.name, experiment));
  std::vector<std::string> ids;
  for (const auto& id : begun) ids.push_back(rest::json_text(id));
  return json_reply("{\"runs\":" + rest::list_json(ids) + "}", 201);
}

}  // namespace

#define PROJECT "/api/v1/projects"
const std::vector<Route>& asset_routes() {
  static const std::vector<Route> routes{
      {"GET", PROJECT, projects, "Projects", "projects"},
      {"POST", PROJECT, keep_project, "Makes or changes one", "project"},
      {"GET", PROJECT "/{project}/definitions", definitions, "Model definitions", "definitions"},
      {"POST", PROJECT "/{project}/definitions", keep_definition,
       "Makes or changes one: fields data and file", "definition"},
      {"DELETE", PROJECT "/{project}/definitions/{name}", remove_definition},
      {"GET", PROJECT "/{project}/experiments", experiments, "Experiments", "experiments"},
      {"POST", PROJECT "/{project}/experiments", keep_experiment, "Makes or changes one",
       "experiment"},
      {"DELETE", PROJECT "/{project}/experiments/{name}", remove_experiment},
      {"POST", PROJECT "/{project}/experiments/{name}/run", run_experiment,
       "Starts an execution of each definition", "begun"},
  };
  return routes;
}

}  // namespace wm::user
