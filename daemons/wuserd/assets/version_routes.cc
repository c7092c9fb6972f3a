// The rows of /api/v1 about one asset and its versions: reading them, going back, taking one away.
#include <algorithm>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/assets/routes.h"
#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/json.h"

namespace wm::user {
namespace {

Result<Editions> editions_in(const Call& call, AssetKind kind) {
  auto assets = projects_of(call.site);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(assets.text(kind, project.name, call.args[1]));  // its name leads nowhere
  return assets.editions(kind, project.name, call.args[1]);
}

// Runs of an experiment come without a new version.
std::string tag_of_text(const std::string& text) {
  auto json = json_or_null(text);
  auto runs = json.value("runs", Json::array()).size();
  return tag_of(json.value("version", ""), runs == 0 ? "" : std::to_string(runs));
}

Answer tagged(std::string text, int status = 200) {
  auto tag = tag_of_text(text);
  auto reply = json_reply(std::move(text), status);
  reply->fields.emplace_back("ETag", tag);
  return reply;
}

template <AssetKind kind>
Result<Answer> show_asset(Call& call) {
  auto assets = projects_of(call.site);
  WM_TRY(auto project, assets.project(call.args[0]));
  auto version = call.args.size() > 2 ? call.args[2] : "";
  WM_TRY(auto text, assets.text(kind, project.name, call.args[1], version));
  return tagged(std::move(text));
}

template <AssetKind kind>
Result<Answer> list_versions(Call& call) {
  WM_TRY(auto text, versions_text(projects_of(call.site), kind, call.args[0], call.args[1]));
  return json_reply(text);
}

template <AssetKind kind>
Result<Answer> go_back(Call& call) {
  WM_TRY(auto editions, editions_in(call, kind));
  WM_TRY(editions.go_back(std::string(call.exchange.head().field("if-match"))));
  return show_asset<kind>(call);
}

template <AssetKind kind>
Result<Answer> remove_version(Call& call) {
  WM_TRY(editions_in(call, kind));
  WM_TRY(projects_of(call.site).remove_version(kind, call.args[0], call.args[1], call.args[2]));
  return done();
}

template <AssetKind kind>
Result<Answer> remove_asset(Call& call) {
  auto assets = projects_of(call.site);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(assets.remove(kind, project.name, call.args[1]));
  return done();
}

Result<Answer> code_of_version(Call& call) {
  auto assets = projects_of(call.site);
  WM_TRY(auto project, assets.project(call.args[0]));
  WM_TRY(auto definition, assets.definition(project.name, call.args[1], call.args[2]));
  WM_TRY(auto code, assets.code(project.name, definition.name, call.args[2]));
  WM_TRY(send_whole_file(call.exchange, code, "application/octet-stream"));
  return Answer();
}

Result<Answer> package_of_version(Call& call) {
  auto assets = projects_of(call.site);
  WM_TRY(auto project, assets.project(call.args[0]));
  Scratch scratch(call.site);
  WM_TRY(auto archive, zip_model(assets, project.name, call.args[1], scratch.path, call.args[2]));
  WM_TRY(send_whole_file(call.exchange, archive, "application/zip"));
  return Answer();
}

}  // namespace

Result<std::string> versions_text(const Assets& assets, AssetKind kind, const std::string& project,
                                  const std::string& name) {
  WM_TRY(auto known_project, assets.project(project));
  WM_TRY(assets.text(kind, project, name));
  WM_TRY(auto known, assets.editions(kind, known_project.name, name).versions());
  Json found = Json::array();
  for (const auto& version : serve::all_of(known)) {
    auto text = assets.text(kind, project, name, version);
    if (!text) continue;  // taken away meanwhile
    found.push_back(json_or_null(*text));
    found.back()["state"] = std::string(serve::state_of(known, version));
  }
  return to_text({{"versions", found}});
}

#define ONE(KIND) "/api/v1/projects/{project}/" KIND "/{name}"
#define ROWS(KIND, kind, shape)                                                                    \
  {"GET", ONE(KIND), show_asset<kind>, "The present version; ETag is for If-Match", shape},        \
      {"DELETE", ONE(KIND), remove_asset<kind>, "Takes it away with all of its versions"},         \
      {"GET", ONE(KIND) "/versions", list_versions<kind>, "All of its versions, present first"},   \
      {"GET", ONE(KIND) "/versions/{version}", show_asset<kind>, "One of them", shape},            \
      {"DELETE", ONE(KIND) "/versions/{version}", remove_version<kind>, "Takes one of them away"}, \
  {                                                                                                \
    "POST", ONE(KIND) "/rollback", go_back<kind>, "The version before is the present one", shape   \
  }
const std::vector<Route>& version_routes() {
  static const std::vector<Route> routes{
      ROWS("definitions", AssetKind::Definition, "definition"),
      ROWS("experiments", AssetKind::Experiment, "experiment"),
      ROWS("models", AssetKind::Model, "model"),
      {"GET", ONE("definitions") "/versions/{version}/code", code_of_version,
       "The file of its code"},
      {"GET", ONE("models") "/versions/{version}/package", package_of_version,
       "Its manifest and package, a zip"},
  };
  return routes;
}

}  // namespace wm::user
