// Projects of other users, as their members ask for them: what the owner's wuserd says is looked at
// and passed on; a run is begun here, with the code that it sends.
#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/assets/experiment_runs.h"
#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/spaces/projects.h"
#include "daemons/wuserd/spaces/routes.h"
#include "daemons/wuserd/spaces/spaces.h"
#include "libwm/base/json.h"
#include "libwm/files/fd.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/url.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr const char* kProjectList = "/api/v1/projects";
constexpr Duration kOfLists = 2s, kOfCode = 30min;
constexpr std::size_t kLongestTag = 300, kMostConnections = 100;
constexpr std::string_view kModels = "/api/v1/projects/{project}/models";
constexpr std::string_view kOneModel = "/api/v1/projects/{project}/models/{name}";

rest::SpaceName project_name(const Call& call) { return rest::space_name(call.args[0]); }

std::string shown_name_of(const rest::SpaceName& named) { return named.owner + "~" + named.name; }

// The same address at the owner's, where the project has its own name.
std::string target_there(const Call& call, const rest::SpaceName& named) {
  std::string target = kProjectList + ("/" + rest::escaped(named.name));
  const auto& parts = call.target.segments;
  for (std::size_t i = 4; i < parts.size(); ++i) target += "/" + rest::escaped(parts[i]);
  return target;
}

Result<Json> told_project(const std::string& text, const std::string& owner) {
  auto json = json_or_null(text, {.depth = 16});
  if (json.is_object() || json.is_array()) return json;
  return fail(Code::Unavailable, "the wuserd of " + owner + " answers no JSON");
}

// What the owner calls `digits` is `ann~digits` here.
Json row_here(Json project, const std::string& owner) {
  project["name"] = owner + "~" + text_or_none(project, "name");
  project["owner"] = owner;
  return project;
}

http::Fields fields_of(const Call& call) {
  http::Fields fields;
  for (const char* name : {"content-type", "if-match", "idempotency-key"})
    if (auto value = call.exchange.head().field(name); !value.empty())
      fields.emplace_back(name, std::string(value));
  return fields;
}

Result<void> body_to_file(http::Exchange& exchange, const std::string& path) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  std::string block(256 << 10, '\0');
  for (;;) {
    WM_TRY(auto n, exchange.read(block.data(), block.size()));
    if (n == 0) break;
    out.write(block.data(), static_cast<std::streamsize>(n));
  }
  out.close();
  return out.fail() ? Result<void>(fail(Code::System, path + ": cannot be written"))
                    : Result<void>();
}

Answer passed_on(const http::Reply& told, std::string text) {
  auto reply = told.status == 204 ? done() : json_reply(std::move(text), told.status);
  for (const auto& [name, value] : told.fields)
    if (name == "etag" && value.size() <= kLongestTag) reply->fields.emplace_back("ETag", value);
  return reply;
}

Result<Answer> pass_on(Call& call, const rest::SpaceName& named) {
  WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfCode));
  Scratch scratch(call.site);
  auto path = scratch.path + "/body";
  WM_TRY(body_to_file(call.exchange, path));
  WM_TRY(auto told,
         owner.pass(call.exchange.head().method, target_there(call, named), fields_of(call), path));
  know_owner(call.site, named.owner, true);
  if (told.status == 204) return passed_on(told, "");
  WM_TRY(auto json, told_project(told.body, named.owner));
  bool whole = call.target.segments.size() == 4;
  return passed_on(told, to_text(whole ? row_here(std::move(json), named.owner) : json));
}

Result<Answer> pass_file(Call& call, const rest::SpaceName& named) {
  WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfCode));
  Scratch scratch(call.site);
  auto path = scratch.path + "/file";
  WM_TRY(owner.fetch(target_there(call, named), path));
  WM_TRY(send_whole_file(call.exchange, path, "application/octet-stream"));
  return Answer();
}

/// What a run of a shared experiment is made of.
struct SharedExperiment {
  rest::Project project;
  rest::Experiment experiment;
  std::string base;  ///< address of the project at its owner's
};

Result<SharedExperiment> experiment_of(SpaceOwner& owner, const rest::SpaceName& named,
                                       const std::string& name, const std::string& version) {
  SharedExperiment shared;
  shared.base = kProjectList + ("/" + rest::escaped(named.name));
  WM_TRY(auto project, owner.ask("GET", shared.base));
  WM_TRY(auto json, told_project(project, named.owner));
  if (text_or_none(json, "role") == "viewer")
    return fail(Code::Denied, "project " + shown_name_of(named) +
                                  ": you are viewer of it; to run is for its editor");
  WM_TRY(shared.project, rest::parse_project(project));
  auto path = shared.base + "/experiments/" + rest::escaped(name);
  if (!version.empty()) path += "/versions/" + rest::escaped(version);
  WM_TRY(auto experiment, owner.ask("GET", path));
  WM_TRY(shared.experiment, rest::parse_experiment(experiment));
  shared.project.name = shown_name_of(named);
  return shared;
}

// The code comes here; what its hash is is found out here.
Result<std::vector<StoredCode>> codes_from(SpaceOwner& owner, const SharedExperiment& shared,
                                           const std::string& folder) {
  std::vector<StoredCode> codes;
  const auto& experiment = shared.experiment;
  for (std::size_t i = 0; i < experiment.definitions.size(); ++i) {
    auto path = shared.base + "/definitions/" + rest::escaped(experiment.definitions[i]);
    if (auto version = rest::version_of(experiment, i); !version.empty())
      path += "/versions/" + rest::escaped(version);
    WM_TRY(auto text, owner.ask("GET", path));
    WM_TRY(auto definition, rest::parse_definition(text));
    auto base = shared.base + "/definitions/" + rest::escaped(definition.name);
    auto code = folder + "/" + std::to_string(i);
    WM_TRY(owner.fetch(base + "/versions/" + rest::escaped(definition.edition.version) + "/code",
                       code));
    WM_TRY(definition.edition.hash, file_hash(code));
    WM_TRY(auto one, stored_code(shared.project, experiment, definition, code));
    codes.push_back(std::move(one));
  }
  return codes;
}

Result<Answer> run_shared(Call& call, const rest::SpaceName& named) {
  WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfCode));
  WM_TRY(auto shared, experiment_of(owner, named, call.args[1], call.target.value("version")));
  Scratch scratch(call.site);
  WM_TRY(auto codes, codes_from(owner, shared, scratch.path));
  auto path = shared.base + "/experiments/" + rest::escaped(shared.experiment.name) + "/runs";
  auto tell_owner = [&](const std::string& run) -> Result<void> {
    WM_TRY(owner.ask("POST", path, to_text({{"run", run}})));
    return {};
  };
  WM_TRY(auto begun, start_codes(call.site, shared.experiment.name, codes, tell_owner));
  return json_reply(begun_json(begun), 201);
}

// Of a run of this user's; its owner's wuserd keeps it.
Result<Answer> save_shared(Call& call, const rest::SpaceName& named) {
  Scratch scratch(call.site);
  auto whole = scratch.path + "/package", package = whole + "/package";
  std::error_code ec;
  std::filesystem::create_directories(package, ec);
  WM_TRY(auto model, model_of_run(call, package));
  WM_TRY(replace_file(whole + "/manifest.json", rest::to_text(model), 0600));
  auto archive = scratch.path + "/model.zip";
  Fd file(::open(archive.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return system_error(archive);
  WM_TRY(zip_folder(whole, {}, file.get()));
  WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfCode));
  WM_TRY(auto told, owner.pass(call.exchange.head().method, target_there(call, named),
                               fields_of(call), archive));
  WM_TRY(auto json, told_project(told.body, named.owner));
  return passed_on(told, to_text(json));
}

// What an editor may fetch with: a name and a type; where it leads to is its owner's to know.
Result<Answer> list_connections(Call& call) {
  WM_TRY(auto project, projects_of(call.site).project(call.args[0]));
  Json found = Json::array();
  for (const auto& name : project.connections)
    if (auto shown = shown_connection(call.site, name))
      found.push_back({{"name", name}, {"type", text_or_none(json_or_null(shown->json), "type")}});
  return json_reply(to_text({{"connections", found}}));
}

Result<Answer> set_connections(Call& call) {
  WM_TRY(auto json, json_in(call));
  auto wanted = json.find("connections");
  if (wanted == json.end() || !wanted->is_array() || wanted->size() > kMostConnections)
    return fail(Code::BadArgument, "connections: a list of names is wanted, " +
                                       std::to_string(kMostConnections) + " at most");
  std::vector<std::string> names;
  for (const auto& name : *wanted) {
    if (!name.is_string()) return fail(Code::BadArgument, "connections: names are wanted");
    auto text = name.get<std::string>();
    WM_TRY(shown_connection(call.site, text));
    if (std::ranges::find(names, text) == names.end()) names.push_back(std::move(text));
  }
  WM_TRY(projects_of(call.site).share_project(
      call.args[0], [&](rest::Project& it) { it.connections = std::move(names); }));
  return done();
}

Result<Answer> list_projects(Call& call) {
  Json found = Json::array(), away = Json::array();
  for (const auto& project : projects_of(call.site).projects()) {
    found.push_back(json_or_null(rest::to_text(project)));
    found.back()["owner"] = call.site.user;
    found.back()["role"] = "owner";
  }
  auto owners = known_owners(call.site);
  auto lists = lists_of(call.site, owners, kProjectList, kOfLists);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    auto told = lists[i] ? told_project(*lists[i], owners[i]) : Result<Json>(lists[i].error());
    if (!told) away.push_back(owners[i]);
    else
      for (const auto& project : *told)
        if (project.is_object()) found.push_back(row_here(project, owners[i]));
  }
  return json_reply(to_text({{"projects", found}, {"away", away}}));
}

Result<Answer> set_project_members(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestJson));
  WM_TRY(share_project(call.site, call.args[0], body));
  return done();
}

}  // namespace

bool is_of_others(const Site& site, const rest::Target& target) {
  if (!is_about_projects(target) || target.segments.size() < 4) return false;
  auto named = rest::space_name(target.segments[3]);
  return !named.owner.empty() && named.owner != site.user;
}

Result<Answer> ask_for_project(Call& call, std::string_view pattern) {
  auto named = project_name(call);
  const auto& method = call.exchange.head().method;
  if (pattern.ends_with("/experiments/{name}/run")) return run_shared(call, named);
  if (pattern.ends_with("/code") || pattern.ends_with("/package")) return pass_file(call, named);
  if (pattern.ends_with("/promote"))
    return fail(Code::Denied,
                "models of project " + shown_name_of(named) + " are promoted by its owner");
  if (pattern == kModels || pattern == kOneModel)
    if (method == "POST" || method == "PUT") return save_shared(call, named);
  return pass_on(call, named);
}

const std::vector<Route>& shared_project_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/projects", list_projects, "One's own projects, and those that others share",
       "projects"},
      {"PUT", "/api/v1/projects/{project}/members", set_project_members,
       "Shares it with these, and nobody else"},
      {"GET", "/api/v1/projects/{project}/connections", list_connections,
       "Connections that its editors may fetch with", "shared_connections"},
      {"PUT", "/api/v1/projects/{project}/connections", set_connections,
       "Lets its editors fetch with these of its owner's, and no others"},
  };
  return routes;
}

}  // namespace wm::user
