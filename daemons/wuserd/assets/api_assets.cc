// The rows of /api/v1 about projects: definitions, experiments, and running them.
#include <filesystem>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/assets/experiment_runs.h"
#include "daemons/wuserd/assets/routes.h"
#include "daemons/wuserd/catalog/catalog.h"
#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/files/upload.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/files/temp_folder.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/frameworks.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestAsset = 1 << 20;

const std::string kProjects = "/api/v1/projects/";

Answer kept_reply(std::string text, const std::string& version) {
  auto reply = json_reply(std::move(text), 201);
  reply->fields.emplace_back("ETag", tag_of(version));
  return reply;
}

Assets assets_of(const Call& call) { return Assets(call.site.results_root + "/projects"); }

template <class Asset>
Answer list_reply(const char* key, const std::vector<Asset>& assets) {
  std::vector<std::string> items;
  for (const auto& asset : assets) items.push_back(rest::to_text(asset));
  return json_reply("{\"" + std::string(key) + "\":" + rest::list_json(items) + "}");
}

// POST names it in the body, PUT in the address.
Result<std::string> words_in(const Call& call, std::size_t name, const std::string& body) {
  if (call.args.size() <= name) return body;
  return with_name(body, call.args[name]);
}

Answer project_reply(const rest::Project& project, int status = 200) {
  auto text = rest::to_text(project);
  auto reply = json_reply(text, status);
  reply->fields.emplace_back("ETag", tag_of(tag_of_words(text)));
  return reply;
}

Result<Answer> show_project(Call& call) {
  WM_TRY(auto project, assets_of(call).project(call.args[0]));
  return project_reply(project);
}

Result<Answer> keep_project(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestAsset));
  WM_TRY(auto words, words_in(call, 0, body));
  WM_TRY(auto project, rest::parse_project(words));
  WM_TRY(auto keeping, keeping_of(call, kProjects + project.name));
  WM_TRY(assets_of(call).keep(project, keeping));
  WM_TRY(auto kept, assets_of(call).project(project.name));  // with its members
  return project_reply(kept, keeping.next ? 200 : 201);
}

// As who asks calls it.
std::string address_of(const Call& call, const rest::Project& project) {
  return kProjects + (call.guest.empty() ? "" : call.site.user + "~") + project.name;
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
  WM_TRY(auto words, words_in(call, 1, data->second));
  WM_TRY(auto definition, rest::parse_definition(words));
  WM_TRY(auto known, known_frameworks(call.site));
  WM_TRY(auto framework, rest::find_framework(known, definition.framework));
  definition.framework = framework.name;
  std::string code;
  if (!upload.files.empty()) {
    code = upload.files.front().path;
    definition.code_name = upload.files.front().name;
  }
  WM_TRY(auto keeping,
         keeping_of(call, address_of(call, project) + "/definitions/" + definition.name));
  WM_TRY(auto kept, assets.keep(project.name, definition, code, keeping));
  return kept_reply(rest::to_text(kept), kept.edition.version);
}

Result<Answer> experiments(Call& call) {
  WM_TRY(auto project, assets_of(call).project(call.args[0]));
  return list_reply("experiments", assets_of(call).experiments(project.name));
}

// What it names is there, and is brought to one place.
Result<void> check_sources(const Site& site, const rest::Project& project,
                           const rest::Experiment& experiment) {
  if (experiment.sources.empty()) return check_data_place(site, experiment.volume, experiment.data);
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
  WM_TRY(auto words, words_in(call, 1, body));
  WM_TRY(auto experiment, rest::parse_experiment(words));
  WM_TRY(check_sources(call.site, project, experiment));
  WM_TRY(auto keeping,
         keeping_of(call, address_of(call, project) + "/experiments/" + experiment.name));
  WM_TRY(auto kept, assets.keep(project.name, experiment, keeping));
  return kept_reply(rest::to_text(kept), kept.edition.version);
}

// What an experiment comes to: of each definition the version that it names.
Result<std::vector<StoredCode>> codes_of(const Assets& assets, const rest::Project& project,
                                         const rest::Experiment& experiment) {
  std::vector<StoredCode> codes;
  for (std::size_t i = 0; i < experiment.definitions.size(); ++i) {
    const auto& name = experiment.definitions[i];
    WM_TRY(auto definition, assets.definition(project.name, name, rest::version_of(experiment, i)));
    WM_TRY(auto code, assets.code(project.name, name, definition.edition.version));
    WM_TRY(auto one, stored_code(project, experiment, definition, code));
    codes.push_back(std::move(one));
  }
  return codes;
}

// All or none: what is refused keeps the others from starting.
Result<Answer> run_experiment(Call& call) {
  auto assets = assets_of(call);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(auto experiment,
         assets.experiment(project.name, call.args[1], call.target.value("version")));
  WM_TRY(auto codes, codes_of(assets, project, experiment));
  auto keep_run = [&](const std::string& run) {
    return assets.add_run(project.name, experiment.name, run);
  };
  WM_TRY(auto begun, start_codes(call.site, experiment.name, codes, keep_run));
  return json_reply(begun_json(begun), 201);
}

}  // namespace

#define PROJECT "/api/v1/projects"
const std::vector<Route>& asset_routes() {
  static const std::vector<Route> routes{
      {"POST", PROJECT, keep_project, "Makes one", "project"},
      {"GET", PROJECT "/{project}", show_project, "One; ETag is for If-Match", "project"},
      {"PUT", PROJECT "/{project}", keep_project, "Changes one; with If-Match, one that is known",
       "project"},
      {"GET", PROJECT "/{project}/definitions", definitions, "Model definitions", "definitions"},
      {"POST", PROJECT "/{project}/definitions", keep_definition, "Makes one: fields data and file",
       "definition"},
      {"PUT", PROJECT "/{project}/definitions/{name}", keep_definition,
       "Makes the next version of one; without a file its code stays", "definition"},
      {"GET", PROJECT "/{project}/experiments", experiments, "Experiments", "experiments"},
      {"POST", PROJECT "/{project}/experiments", keep_experiment, "Makes one", "experiment"},
      {"PUT", PROJECT "/{project}/experiments/{name}", keep_experiment,
       "Makes the next version of one", "experiment"},
      {"POST", PROJECT "/{project}/experiments/{name}/run", run_experiment,
       "Starts an execution of each definition; of an earlier version of it, too", "begun",
       "version"},
  };
  return routes;
}

}  // namespace wm::user
