// What the owner's wuserd does for those whom a project is shared with: the rows that it has for
// the owner, as far as the guest's role goes.
#include <algorithm>
#include <array>

#include "daemons/wuserd/assets/assets.h"
#include "daemons/wuserd/assets/routes.h"
#include "daemons/wuserd/data/project_data.h"
#include "daemons/wuserd/data/routes.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/spaces/projects.h"
#include "daemons/wuserd/spaces/routes.h"
#include "daemons/wuserd/spaces/spaces.h"
#include "libwm/base/json.h"
#include "libwm/rest/routes.h"

namespace wm::user {
namespace {

using rest::SpaceAct;
using rest::SpaceRole;

constexpr std::string_view kOneProject = "/api/v1/projects/{project}";
constexpr std::size_t kBeforeProject = 3;  // segments: api, v1, projects

/// What a member may write, at an address below a project's. Reading is Look.
struct WriteRow {
  std::string_view method, below;
};
constexpr std::array<WriteRow, 19> kWrites{{{"PUT", "/views/{name}"},
                                            {"DELETE", "/views/{name}"},
                                            {"POST", "/definitions"},
                                            {"PUT", "/definitions/{name}"},
                                            {"DELETE", "/definitions/{name}"},
                                            {"POST", "/definitions/{name}/rollback"},
                                            {"DELETE", "/definitions/{name}/versions/{version}"},
                                            {"POST", "/experiments"},
                                            {"PUT", "/experiments/{name}"},
                                            {"DELETE", "/experiments/{name}"},
                                            {"POST", "/experiments/{name}/rollback"},
                                            {"DELETE", "/experiments/{name}/versions/{version}"},
                                            {"POST", "/data"},
                                            {"PUT", "/data/{name}"},
                                            {"DELETE", "/data/{name}"},
                                            {"POST", "/data/{name}/rollback"},
                                            {"DELETE", "/models/{name}"},
                                            {"POST", "/models/{name}/rollback"},
                                            {"DELETE", "/models/{name}/versions/{version}"}}};

SpaceRole role_of_guest(const rest::Project& project, const Guest& guest) {
  return rest::role_of(project.members, guest.user, guest.groups);
}

std::string shared_json(const Site& site, const rest::Project& project, SpaceRole role) {
  Json json = json_or_null(rest::to_text(project));
  json["owner"] = site.user;
  json["role"] = std::string(rest::word_of(role));
  return to_text(json);
}

Answer projects_to_guest(const Call& call, const Guest& guest) {
  std::vector<std::string> items;
  for (const auto& project : projects_of(call.site).projects()) {
    auto role = role_of_guest(project, guest);
    if (rest::may(role, SpaceAct::Look, project.name, "project"))
      items.push_back(shared_json(call.site, project, role));
  }
  return json_reply(rest::list_json(items));
}

// A run is the guest's own; its name is kept with the experiment.
Result<Answer> keep_run_of_guest(Call& call, const rest::Project& project, const Guest&) {
  WM_TRY(auto json, json_in(call));
  WM_TRY(auto run, text_in(json, "run"));
  if (!rest::is_asset_name(run))
    return fail(Code::BadArgument, "run: the id of an execution is wanted");
  WM_TRY(projects_of(call.site).add_run(project.name, call.args[1], run));
  return done();
}

// A model of a run of the guest's, which the guest's wuserd has made a package of.
Result<Answer> keep_model_of_guest(Call& call, const rest::Project& project, const Guest& guest) {
  Scratch scratch(call.site);
  auto folder = scratch.path + "/package";
  WM_TRY(auto model, model_from_guest(call, folder, call.args.size() > 1 ? call.args[1] : ""));
  model.project = project.name;
  model.user = guest.user;
  model.promoted_by.clear();
  auto projects = projects_of(call.site);
  WM_TRY(auto keeping, keeping_of(call, "/api/v1/projects/" + call.site.user + "~" + project.name +
                                            "/models/" + model.name));
  keeping.user = guest.user;
  WM_TRY(auto kept, projects.keep(project.name, model, folder + "/package", keeping));
  return json_reply(model_text(projects, project.name, kept), 201);
}

Result<Answer> begin_fetch_of_guest(Call& call, const rest::Project& project, const Guest& guest) {
  WM_TRY(auto json, json_in(call));
  std::vector<std::string> items;
  if (auto wanted = json.find("dataSource"); wanted != json.end() && wanted->is_array())
    for (const auto& item : *wanted) items.push_back(to_text(item));
  WM_TRY(auto begun, fetch_for_member(call.site, project, items, guest.user));
  return json_reply(begun, 201);
}

Result<Answer> show_fetch_of_guest(Call& call, const rest::Project& project, const Guest& guest) {
  WM_TRY(auto text, member_fetch_json(call.site, project, call.args[1], guest.user));
  return json_reply(text);
}

Result<Answer> end_fetch_of_guest(Call& call, const rest::Project& project, const Guest& guest) {
  WM_TRY(end_member_fetch(call.site, project, call.args[1], guest.user));
  return done();
}

/// What an editor asks that is no row of the owner's.
struct MemberRow {
  std::string_view method, pattern;
  Result<Answer> (*answer)(Call& call, const rest::Project& project, const Guest& guest);
};
#define PROJECT "/api/v1/projects/{project}"
constexpr MemberRow kOfMembers[] = {
    {"POST", PROJECT "/experiments/{name}/runs", keep_run_of_guest},
    {"POST", PROJECT "/models", keep_model_of_guest},
    {"PUT", PROJECT "/models/{name}", keep_model_of_guest},
    {"POST", PROJECT "/fetches", begin_fetch_of_guest},
    {"GET", PROJECT "/fetches/{id}", show_fetch_of_guest},
    {"DELETE", PROJECT "/fetches/{id}", end_fetch_of_guest},
};

const MemberRow* row_of_members(Call& call) {
  for (const auto& row : kOfMembers) {
    auto args = rest::match(row.pattern, call.target.segments);
    if (!args || row.method != call.exchange.head().method) continue;
    call.args = std::move(*args);
    return &row;
  }
  return nullptr;
}

/// A row of the owner's, and what it takes to use it.
struct OpenRow {
  const Route* route;
  SpaceAct act;
};

Result<OpenRow> open_row(const Call& call) {
  const auto& method = call.exchange.head().method;
  for (const auto* table : {&asset_routes(), &model_routes(), &version_routes(),
                            &data_asset_routes(), &shared_project_routes(), &view_routes()})
    for (const auto& route : *table) {
      if (route.method != method || !rest::match(route.pattern, call.target.segments)) continue;
      auto below = route.pattern.substr(std::min(kOneProject.size(), route.pattern.size()));
      bool writes = std::ranges::any_of(
          kWrites, [&](const WriteRow& row) { return row.method == method && row.below == below; });
      if (method == "GET") return OpenRow{&route, SpaceAct::Look};
      return OpenRow{&route, writes ? SpaceAct::Use : SpaceAct::Own};
    }
  return fail(Code::NotFound, "no such address");
}

Result<Answer> members_by_guest(Call& call, const std::string& project, const Guest& guest) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestJson));
  WM_TRY(auto shared, share_project(call.site, project, body));
  return json_reply(shared_json(call.site, shared, role_of_guest(shared, guest)));
}

}  // namespace

bool is_about_projects(const rest::Target& target) {
  const auto& parts = target.segments;
  return parts.size() >= kBeforeProject && parts[0] == "api" && parts[1] == "v1" &&
         parts[2] == "projects";
}

Result<Answer> project_to_guest(Call& call, const Guest& guest) {
  const auto& method = call.exchange.head().method;
  const auto& parts = call.target.segments;
  if (parts.size() == kBeforeProject && method == "GET") return projects_to_guest(call, guest);
  if (parts.size() == kBeforeProject) return fail(Code::NotFound, "no such address");
  const auto& name = parts[kBeforeProject];
  auto found = projects_of(call.site).project(name);
  auto role = found ? role_of_guest(*found, guest) : SpaceRole::None;
  auto shown = call.site.user + "~" + name;
  auto may = [&](SpaceAct act) { return rest::may(role, act, shown, "project"); };
  WM_TRY(may(SpaceAct::Look));
  call.guest = guest.user;
  if (method == "GET" && parts.size() == kBeforeProject + 1)
    return json_reply(shared_json(call.site, *found, role));
  if (method == "PUT" && parts.size() == kBeforeProject + 2 && parts.back() == "members") {
    WM_TRY(may(SpaceAct::Share));
    return members_by_guest(call, name, guest);
  }
  if (const auto* row = row_of_members(call)) {
    WM_TRY(may(SpaceAct::Use));
    return row->answer(call, *found, guest);
  }
  WM_TRY(auto row, open_row(call));
  WM_TRY(may(row.act));
  if (row.act == SpaceAct::Own) return fail(Code::Denied, "this is for its owner");
  call.args = *rest::match(row.route->pattern, parts);
  return row.route->answer(call);
}

}  // namespace wm::user
