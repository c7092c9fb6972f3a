// The rows of /platform/rest/deeplearning/v1 about the scheduler's applications and resource plans.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <climits>
#include <functional>

#include "daemons/wuserd/execs/end.h"
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/app_query.h"
#include "libwm/rest/parallel_job.h"

namespace wm::user {
namespace {

constexpr std::size_t kMostSorted = 10'000, kFurthest = 1'000'000;  // applications
constexpr std::size_t kLines = 10;  // of a log, where the client does not say how many

Result<std::size_t> number(const Call& call, const char* name, std::size_t otherwise) {
  auto text = call.target.value(name);
  std::size_t value = otherwise;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && (ec != std::errc() || end != text.data() + text.size()))
    return fail(Code::BadArgument, std::string(name) + ": a number is wanted");
  return value;
}

// Those that can answer, the newest first. In the order of their submission no more is looked at
// than the page takes; in any other one of the newest kMostSorted.
Result<std::vector<JobView>> apps_for(Call& call, const rest::AppQuery& query) {
  RunQuery asked;
  auto job = rest::parse_exec_id(call.site.conf.name, query.id);
  if (!query.id.empty() && !job) return std::vector<JobView>();
  if (!query.id.empty()) asked.jobs = {job->job};
  if (rest::is_of_live_alone(query.states)) asked.states = live_states();
  bool in_order = query.sort == "submit_time" && query.descending;
  auto most = in_order ? std::min(query.start, kFurthest) + std::min(query.length, kMostSorted)
                       : kMostSorted;
  std::vector<JobView> views;
  WM_TRY(each_app(call.site, asked, [&](JobView& view) {
    if (views.size() < most && rest::is_found(query, view, call.site.conf.name))
      views.push_back(std::move(view));
    return views.size() < most;
  }));
  return views;
}

Result<Answer> list_apps(Call& call, const std::function<std::string(const JobView&)>& shown) {
  WM_TRY(auto query, rest::read_app_query(call.target));
  WM_TRY(auto views, apps_for(call, query));
  auto rows = rest::found(query, views, call.site.conf.name);
  if (query.start > rows.size())
    return Answer(
        http::Reply{416, {{"Content-Type", "text/plain"}}, "Error 416: start: beyond the last\n"});
  std::vector<std::string> items;
  for (auto at = query.start; at < rows.size() && items.size() < query.length; ++at)
    items.push_back(shown(*rows[at]));
  return json_reply(rest::list_json(items));
}

Result<Answer> applications(Call& call) {
  return list_apps(call,
                   [&](const JobView& view) { return rest::app_json(view, call.site.conf.name); });
}

Result<Answer> application(Call& call) {
  WM_TRY(auto app, find_app(call.site, call.args[0]));
  return json_reply(rest::list_json({rest::app_json(app, call.site.conf.name)}));
}

// Another's the master ends for an administrator alone.
Result<Answer> stop_app(Call& call) {
  WM_TRY(auto app, find_app(call.site, call.args[0]));
  if (!is_over(app.job->state)) WM_TRY(stop_exec(call.site, app));
  return json_reply("{\"id\":" + rest::json_text(call.args[0]) + ",\"state\":\"KILLED\"}");
}

// Rank 0 is the driver: nothing runs apart from the workers.
Result<Answer> worker_log(Call& call, std::size_t worker, const std::string& kind) {
  WM_TRY(auto exec, find_exec(call.site, call.args[0]));
  WM_TRY(auto lines, number(call, "lastlines", kLines));
  WM_TRY(auto text, log_text(exec.result_dir, worker, kind));
  return Answer(http::Reply{200,
                            {{"Content-Type", "text/plain; charset=utf-8"}},
                            std::string(rest::last_lines(text, lines))});
}

Result<Answer> driver_log(Call& call) { return worker_log(call, 1, call.args[1]); }

Result<std::size_t> worker_number(const std::string& text) {
  std::size_t worker = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), worker);
  if (ec != std::errc() || end != text.data() + text.size() || worker == 0)
    return fail(Code::NotFound, "executor " + text + " does not exist");
  return worker;
}

Result<Answer> executor_log(Call& call) {
  WM_TRY(auto worker, worker_number(call.args[1]));
  return worker_log(call, worker, call.args[2]);
}

// The first generation's: of an instance, whatever it is called.
Result<Answer> instance_applications(Call& call) {
  auto now = wall_now();
  return list_apps(call, [&](const JobView& view) {
    return rest::conductor_json(view, call.site.conf.name, now);
  });
}

// …/applications/DRIVER[/EXECUTOR]/logs/KIND/download: the whole log.
Result<Answer> download(Call& call, const std::string& id, std::size_t worker,
                        const std::string& kind) {
  WM_TRY(auto exec, find_exec(call.site, id));
  WM_TRY(auto text, log_text(exec.result_dir, worker, kind));
  return Answer(http::Reply{200, {{"Content-Type", "application/octet-stream"}}, std::move(text)});
}

Result<Answer> driver_download(Call& call) { return download(call, call.args[1], 1, call.args[2]); }

Result<Answer> executor_download(Call& call) {
  WM_TRY(auto worker, worker_number(call.args[2]));
  return download(call, call.args[1], worker, call.args[3]);
}

// Of Kubernetes' objects clients read those that stand for jobs.
Result<Answer> objects(Call& call) {
  auto name = call.target.value("name");
  if (call.target.value("type") != "paralleljob") return json_reply("{\"items\":[]}");
  auto shown = [&](const JobView& view) {
    return rest::parallel_job_json(view, call.site.conf.name);
  };
  if (!name.empty()) {
    WM_TRY(auto app, find_app(call.site, name));
    return json_reply(shown(app));
  }
  std::vector<std::string> items;
  RunQuery live;
  live.states = live_states();
  WM_TRY(each_app(call.site, live, [&](const JobView& app) {
    if (!is_over(app.job->state)) items.push_back(shown(app));
    return true;
  }));
  return json_reply("{\"items\":" + rest::list_json(items) + "}");
}

Result<Answer> instances(Call& call) {
  return json_reply(rest::instances_json(call.site.conf.name));
}

Result<Answer> plan_tree(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(PlansRequest{}));
  return json_reply(rest::plan_tree_json(reply.plans, call.site.conf.name));
}

Result<Answer> plan(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(PlansRequest{}));
  auto path = rest::plan_of("/" + call.args[0], call.site.conf.name);
  for (const auto& view : reply.plans)
    if (view.path == path || view.path.substr(view.path.rfind('/') + 1) == call.args[0])
      return json_reply(rest::plan_node_json(view, call.site.conf.name));
  return fail(Code::NotFound, "resource plan " + call.args[0] + " does not exist");
}

Result<Answer> keep_plan(Call&) {
  return fail(Code::Denied, "resource plans are changed in plans.conf, by an administrator");
}

}  // namespace

#define DL "/platform/rest/deeplearning/v1"
#define CONDUCTOR "/platform/rest/conductor/v1/instances/{instance}/applications"
const std::vector<Route>& scheduler_routes() {
  static const std::vector<Route> routes{
      {"GET", DL "/scheduler/applications", applications},
      {"GET", DL "/scheduler/applications/{app}/driver/logs/{kind}", driver_log},
      {"GET", DL "/scheduler/applications/{app}/executor/{n}/logs/{kind}", executor_log},
      {"PUT", DL "/scheduler/applications/{app}/stop", stop_app},
      {"GET", DL "/scheduler/engine/applications", applications, "Applications", "[app]",
       "search state applicationid applicationname driverid sort order start length"},
      {"GET", DL "/scheduler/engine/applications/{app}", application, "One, as a list", "[app]"},
      {"GET", DL "/scheduler/kubernetesobjects", objects},
      {"GET", DL "/scheduler/instances", instances},
      {"GET", CONDUCTOR, instance_applications},
      {"GET", CONDUCTOR "/{app}/logs/{kind}/download", driver_download},
      {"GET", CONDUCTOR "/{app}/{n}/logs/{kind}/download", executor_download},
      {"GET", DL "/resplans/resplantree", plan_tree},
      {"GET", DL "/resplans/resplan/{name...}", plan},
      {"DELETE", DL "/resplans/resplan/{name...}", keep_plan},
  };
  return routes;
}

}  // namespace wm::user
