// The rows about searches: WMLA's /hypersearch, and our pages' /api/v1/searches.
#include "daemons/wuserd/searches/routes.h"
#include "daemons/wuserd/searches/search_plugins.h"
#include "daemons/wuserd/searches/searches.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/base/clock.h"
#include "libwm/rest/search_request.h"

namespace wm::user {
namespace {

Result<rest::SearchTask> task_in(Call& call) { return find_search(call.site, call.args[0]); }

Result<Answer> create(Call& call) {
  WM_TRY(auto begun, start_search(call));
  return json_reply(rest::creation_json(begun.name, begun.first_generation));
}

// Our pages go on by the name.
Result<Answer> page_create(Call& call) {
  WM_TRY(auto begun, start_search(call));
  return json_reply(rest::json_text(begun.name));
}

Result<Answer> list_searches(Call& call) {
  WM_TRY(auto tasks, all_searches(call.site));
  std::vector<std::string> items;
  for (const auto& task : tasks) items.push_back(rest::tuning_json(task, wall_now()));
  return json_reply(rest::list_json(items));
}

Result<Answer> show_search(Call& call) {
  WM_TRY(auto task, task_in(call));
  return json_reply(rest::tuning_json(task, wall_now()));
}

Result<Answer> stop_search(Call& call) {
  WM_TRY(auto task, task_in(call));
  WM_TRY(hold_search(call.site, task, true));
  return done();
}

Result<Answer> pause(Call& call) {
  WM_TRY(auto task, task_in(call));
  WM_TRY(hold_search(call.site, task, false));
  return done();
}

Result<Answer> restart(Call& call) {
  WM_TRY(auto task, task_in(call));
  WM_TRY(release_search(call.site, task));
  return json_reply(rest::json_text(task.name));
}

Result<Answer> remove_search(Call& call) {
  WM_TRY(auto task, task_in(call));
  WM_TRY(delete_search(call.site, task));
  return done();
}

// All or none: one that runs keeps the others.
Result<Answer> remove_searches(Call& call) {
  WM_TRY(auto tasks, all_searches(call.site));
  for (const auto& task : tasks) {
    auto state = rest::tuning_state(task);
    if (state == "RUNNING" || state == "SUBMITTED")
      return fail(Code::Conflict, "search " + task.name + " is in use: stop it first");
  }
  for (const auto& task : tasks) WM_TRY(delete_search(call.site, task));
  return done();
}

Result<Answer> algorithms(Call& call) {
  auto type = call.target.value("type");
  if (!type.empty() && type != "BUILD_IN" && type != "USER_PLUGIN")
    return fail(Code::BadArgument, "type: BUILD_IN or USER_PLUGIN is wanted");
  auto items = type == "BUILD_IN" ? std::vector<std::string>() : all_plugins(call.site);
  if (type == "USER_PLUGIN") return json_reply(rest::list_json(items));
  WM_TRY(auto text, rest::built_in_json());
  for (const auto& item : items) text.insert(text.size() - 1, "," + item);
  return json_reply(text);
}

Result<Answer> install_algorithm(Call& call) {
  WM_TRY(auto text, install_plugin(call));
  return json_reply(text);
}

Result<Answer> remove_algorithm(Call& call) {
  if (rest::is_built_in(call.args[0]))
    return fail(Code::BadArgument, "algorithm " + call.args[0] + " comes with WM");
  WM_TRY(delete_plugin(call.site, call.args[0]));
  return done();
}

Result<Answer> algorithm(Call& call) {
  auto text = rest::is_built_in(call.args[0]) ? rest::built_in_json(call.args[0])
                                              : find_plugin(call.site, call.args[0]);
  if (!text) return text.error();
  return json_reply(*text);
}

Result<Answer> page_list(Call& call) {
  WM_TRY(auto tasks, all_searches(call.site));
  std::vector<std::string> items;
  for (const auto& task : tasks) items.push_back(rest::search_json(task, false));
  return json_reply("{\"now\":" + std::to_string(epoch_seconds(wall_now())) +
                    ",\"searches\":" + rest::list_json(items) + "}");
}

Result<Answer> page_show(Call& call) {
  WM_TRY(auto task, task_in(call));
  return json_reply("{\"now\":" + std::to_string(epoch_seconds(wall_now())) +
                    ",\"search\":" + rest::search_json(task, true) + "}");
}

Result<Answer> page_act(Call& call) {
  WM_TRY(auto task, task_in(call));
  const auto& verb = call.args[1];
  if (verb == "stop" || verb == "pause") WM_TRY(hold_search(call.site, task, verb == "stop"));
  else if (verb == "resume" || verb == "restart") WM_TRY(release_search(call.site, task));
  else if (verb == "delete") WM_TRY(delete_search(call.site, task));
  else return fail(Code::BadArgument, "stop, pause, resume, restart or delete is wanted");
  return done();
}

}  // namespace

#define HS "/platform/rest/deeplearning/v1/hypersearch"
const std::vector<Route>& search_routes() {
  static const std::vector<Route> routes{
      {"GET", HS "/algorithm", algorithms},
      {"POST", HS "/algorithm", install_algorithm},
      {"POST", HS "/algorithm/install", install_algorithm},
      {"GET", HS "/algorithm/{name}", algorithm},
      {"DELETE", HS "/algorithm/{name}", remove_algorithm},
      {"POST", HS, create},
      {"GET", HS, list_searches},
      {"DELETE", HS, remove_searches},
      {"GET", HS "/{name}", show_search},
      {"PUT", HS "/{name}", stop_search},
      {"DELETE", HS "/{name}", remove_search},
      {"PUT", HS "/{name}/force", stop_search},
      {"PUT", HS "/{name}/restart", restart},
      {"PUT", HS "/{name}/pause", pause},
      {"PUT", HS "/{name}/resume", restart},
      {"GET", "/api/v1/searches", page_list},
      {"POST", "/api/v1/searches", page_create},
      {"GET", "/api/v1/searches/{name}", page_show},
      {"POST", "/api/v1/searches/{name}/{verb}", page_act},
  };
  return routes;
}

}  // namespace wm::user
