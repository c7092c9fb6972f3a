// The rows of /api/v1 about spaces, the user's own and, as OWNER~NAME, those that others share.
#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/packages.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/spaces/routes.h"
#include "daemons/wuserd/spaces/spaces.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/url.h"

namespace wm::user {
namespace {

using rest::SpaceName;
using namespace std::chrono_literals;

// How long the wuserd of another user is waited for.
constexpr Duration kOfSpaceList = 2s, kOfSpace = 10s, kOfModel = 30min;

// An owner's wuserd is another user's program: what it says is looked at.
Result<Json> told_json(const std::string& text, const std::string& user) {
  auto json = json_or_null(text, {.depth = 16});
  if (json.is_object() || json.is_array()) return json;
  return fail(Code::Unavailable, "the wuserd of " + user + " answers no JSON");
}

// No owner: the user's own.
SpaceName space_in(const Call& call, const std::string& text) {
  auto named = rest::space_name(text);
  if (named.owner == call.site.user) named.owner.clear();
  return named;
}

std::string target_of(const SpaceName& space, const std::string& below = "") {
  return "/spaces/" + rest::escaped(space.name) + below;
}

std::string model_target(const SpaceName& space, const std::string& model) {
  return target_of(space, "/models/" + rest::escaped(model));
}

// What pages show of one in a list, named so that it is found from here.
Json row_of(const Json& space, const std::string& owner) {
  auto count = [&](const char* key) {
    return space.contains(key) && space[key].is_number_unsigned() ? space[key] : Json(0);
  };
  auto members = space.contains("members") && space["members"].is_array() ? space["members"].size()
                                                                          : std::size_t{0};
  return {{"name", owner + "~" + text_or_none(space, "name")},
          {"description", text_or_none(space, "description")},
          {"plan", text_or_none(space, "plan")},
          {"owner", owner},
          {"role", text_or_none(space, "role")},
          {"members", members},
          {"models", count("models")},
          {"deployments", count("deployments")}};
}

bool shares_no_project(const Site& site, const std::string& owner) {
  auto found = SpaceOwner::find(site, owner, kOfSpaceList);
  auto list = found ? found->ask("GET", "/api/v1/projects") : Result<std::string>(found.error());
  return list && json_or_null(*list, {.depth = 16}) == Json::array();
}

// Of one who shares nothing with this user any more, nothing is asked again.
Result<void> add_shared(const Site& site, const std::string& owner, const Result<std::string>& list,
                        Json& found) {
  WM_TRY(auto text, list);
  WM_TRY(auto spaces, told_json(text, owner));
  for (const auto& space : spaces)
    if (space.is_object()) found.push_back(row_of(space, owner));
  if (spaces.empty() && shares_no_project(site, owner)) know_owner(site, owner, false);
  return {};
}

Result<Answer> list_spaces(Call& call) {
  Json found = Json::array(), away = Json::array();
  for (const auto& space : spaces_of(call.site).spaces()) {
    WM_TRY(auto text, space_text(call.site, space, rest::SpaceRole::Owner, true));
    found.push_back(json_or_null(text));
    found.back()["members"] = space.members.size();
  }
  auto owners = known_owners(call.site);
  auto lists = lists_of(call.site, owners, "/spaces", kOfSpaceList);
  for (std::size_t i = 0; i < owners.size(); ++i)
    if (!add_shared(call.site, owners[i], lists[i], found)) away.push_back(owners[i]);
  return json_reply(to_text({{"spaces", found}, {"away", away}}));
}

Result<Answer> keep_space(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestJson));
  if (!call.args.empty()) {
    auto named = space_in(call, call.args[0]);
    if (!named.owner.empty())
      return fail(Code::Denied, "space " + call.args[0] + " is " + named.owner + "'s to change");
    WM_TRY(body, with_name(body, named.name));
  }
  WM_TRY(auto wanted, rest::parse_space(body));
  wanted.members.clear();  // they have a row
  auto spaces = spaces_of(call.site);
  WM_TRY(auto keeping, keeping_of(call, "/api/v1/spaces/" + wanted.name));
  WM_TRY(spaces.keep(wanted, keeping));
  WM_TRY(auto space, spaces.space(wanted.name));
  auto reply = json_reply(rest::to_text(space), keeping.next ? 200 : 201);
  reply->fields.emplace_back("ETag", tag_of(tag_of_words(rest::to_text(space))));
  return reply;
}

Result<std::string> shared_text(Call& call, const SpaceName& named) {
  WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfSpace));
  WM_TRY(auto text, owner.ask("GET", target_of(named)));
  know_owner(call.site, named.owner, true);
  WM_TRY(auto space, told_json(text, named.owner));
  if (!space.is_object()) return fail(Code::Unavailable, named.owner + " answers no space");
  auto shown = named.owner + "~" + named.name;
  space["owner"] = named.owner;
  space["name"] = shown;
  for (const char* list : {"members", "models", "deployments"})
    if (!space[list].is_array()) space[list] = Json::array();
  WM_TRY(auto own, deployments_text(call.site, shown));
  for (auto& service : json_or_null(own)) space["deployments"].push_back(std::move(service));
  return to_text(space);
}

Result<Answer> show_space(Call& call) {
  auto named = space_in(call, call.args[0]);
  if (!named.owner.empty()) {
    WM_TRY(auto text, shared_text(call, named));
    return json_reply(text);
  }
  WM_TRY(auto space, spaces_of(call.site).space(named.name));
  WM_TRY(auto text, space_text(call.site, space, rest::SpaceRole::Owner, false));
  auto reply = json_reply(text);
  auto tag = tag_of_words(rest::to_text(space));  // of what If-Match guards
  reply->fields.emplace_back("ETag", tag_of(tag, tag_of_words(text)));
  return reply;
}

Result<Answer> set_members(Call& call) {
  auto named = space_in(call, call.args[0]);
  WM_TRY(auto body, http::read_body(call.exchange, kLongestJson));
  if (!named.owner.empty()) {
    WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfSpace));
    WM_TRY(owner.ask("PUT", target_of(named, "/members"), body));
    return done();
  }
  WM_TRY(share_space(call.site, named.name, body));
  return done();
}

Result<Answer> remove_own_space(Call& call) {
  auto named = space_in(call, call.args[0]);
  if (!named.owner.empty())
    return fail(Code::Denied, "space " + call.args[0] + " is " + named.owner + "'s to delete");
  WM_TRY(spaces_of(call.site).remove_space(named.name));
  return done();
}

// What a service was made of may go: the service has its own copy.
Result<Answer> remove_promoted(Call& call) {
  auto named = space_in(call, call.args[0]);
  if (named.owner.empty())
    WM_TRY(spaces_of(call.site).remove(AssetKind::Model, named.name, call.args[1]));
  else {
    WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfSpace));
    WM_TRY(owner.ask("DELETE", model_target(named, call.args[1])));
  }
  return done();
}

Result<Answer> promote(Call& call) {
  auto projects = projects_of(call.site);
  WM_TRY(auto json, json_in(call));
  WM_TRY(auto to, text_in(json, "space"));
  auto named = space_in(call, to);
  WM_TRY(auto project, projects.project(call.args[0]));
  WM_TRY(auto model, projects.model(project.name, call.args[1]));
  Scratch scratch(call.site);
  if (!named.owner.empty()) {
    WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfModel));
    WM_TRY(auto archive, zip_model(projects, project.name, model.name, scratch.path));
    bool next = call.exchange.head().method == "PUT";
    auto target = next ? model_target(named, model.name) : target_of(named, "/models");
    WM_TRY(auto kept, owner.give(next ? "PUT" : "POST", target, archive));
    return json_reply(kept, 201);
  }
  auto spaces = spaces_of(call.site);
  WM_TRY(auto space, spaces.space(named.name));
  auto package = scratch.path + "/package";
  WM_TRY(auto whole, projects.package(project.name, model.name));
  WM_TRY(copy_folder(whole, package));
  model.promoted_by = call.site.user;
  WM_TRY(auto keeping, keeping_of(call, kPromote));
  WM_TRY(auto kept, spaces.keep(space.name, model, package, keeping));
  return json_reply(model_text(spaces, space.name, kept), 201);
}

/// What is deployed: its package in a folder, and the plan of its space.
struct Fetched {
  std::string package, plan;
};

Result<Fetched> fetch(Call& call, const SpaceName& named, const std::string& model,
                      const Scratch& scratch) {
  auto folder = scratch.path + "/package";
  if (named.owner.empty()) {
    auto spaces = spaces_of(call.site);
    WM_TRY(auto space, spaces.space(named.name));
    WM_TRY(spaces.model(space.name, model));
    WM_TRY(auto whole, spaces.package(space.name, model));
    WM_TRY(copy_folder(whole, folder));
    return Fetched{folder, space.plan};
  }
  WM_TRY(auto owner, SpaceOwner::find(call.site, named.owner, kOfModel));
  WM_TRY(auto text, owner.ask("GET", target_of(named)));
  WM_TRY(auto space, told_json(text, named.owner));
  auto archive = scratch.path + "/archive";
  WM_TRY(owner.fetch(model_target(named, model) + "/package", archive));
  if (auto unpacked = unpack(archive, folder, kFromOthers); !unpacked)
    return fail(Code::BadArgument, unpacked.error().text);
  return Fetched{folder + "/package", text_or_none(space, "plan")};
}

// {policy: {…}} and the like of the request, in the plan of its space.
std::string profile_text(const Json& asked, const std::string& plan) {
  Json profile = asked.contains("profile") ? asked["profile"] : Json::object();
  if (profile.is_object() && !plan.empty()) {
    Json kernel{{"resource_allocation", {{"kernel", {{"resource_plan", plan}}}}}};
    kernel.merge_patch(profile);
    profile = std::move(kernel);
  }
  return profile.empty() && profile.is_object() ? std::string() : to_text(profile);
}

// As this user's own service, even if another member promoted the model.
Result<Answer> deploy_promoted(Call& call) {
  auto named = space_in(call, call.args[0]);
  const auto& model = call.args[1];
  WM_TRY(auto json, json_in(call));
  WM_TRY(auto name, text_in(json, "name"));
  if (name.empty()) name = model;
  Scratch scratch(call.site);
  WM_TRY(auto fetched, fetch(call, named, model, scratch));
  auto shown = (named.owner.empty() ? "" : named.owner + "~") + named.name;
  Placing placing{fetched.package, "", profile_text(json, fetched.plan), shown, model};
  WM_TRY(auto text, read_file(placing.package + "/model.json"));
  WM_TRY(auto renamed, serve::renamed_model(text, name));
  WM_TRY(replace_file(placing.package + "/model.json", renamed, 0600));
  WM_TRY(auto service, place_package(call.site, placing));
  if (json.value("start", Json(true)) == Json(true)) WM_TRY(start_service(call.site, name));
  return json_reply(to_text({{"name", service.name}}), 201);
}

}  // namespace

#define API "/api/v1"
const std::vector<Route>& space_routes() {
  static const std::vector<Route> routes{
      {"GET", API "/spaces", list_spaces, "One's own spaces, and those that others share",
       "spaces"},
      {"POST", API "/spaces", keep_space, "Makes one"},
      {"PUT", API "/spaces/{space}", keep_space, "Changes one of one's own"},
      {"GET", API "/spaces/{space}", show_space, "A space; another's is OWNER~NAME", "space"},
      {"DELETE", API "/spaces/{space}", remove_own_space},
      {"PUT", API "/spaces/{space}/members", set_members, "Shares it with these, and nobody else"},
      {"DELETE", API "/spaces/{space}/models/{name}", remove_promoted},
      {"POST", API "/spaces/{space}/models/{name}/deploy", deploy_promoted},
      {"POST", API "/projects/{project}/models/{name}/promote", promote, "Copies it to a space"},
      {"PUT", API "/projects/{project}/models/{name}/promote", promote,
       "Makes it the next version of the one there"},
  };
  return routes;
}

}  // namespace wm::user
