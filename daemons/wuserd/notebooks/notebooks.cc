// The rows of /api/v1/notebooks: start, list, stop, extend. A notebook is a job with a profile of
// type notebook; what only its own process knows stands in web.json of its results.
#include "daemons/wuserd/notebooks/notebooks.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/runs.h"
#include "daemons/wuserd/jobs/submit.h"
#include "daemons/wuserd/master/clock.h"
#include "daemons/wuserd/notebooks/routes.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/conf/load.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/assets.h"
#include "libwm/rest/run_request.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

constexpr std::size_t kLongestNotebook = 16 << 10;
constexpr Bytes kLongestWebFile{1 << 20};  // web.json, web.share
constexpr const char* kType = "notebook";
constexpr std::uint32_t kNotebooksInPage = 200;  // unless another limit is asked for
constexpr int kMostMinutes = 7 * 24 * 60;

bool waits(const JobView& view) {
  return view.job->state == JobState::Pending || view.job->state == JobState::Held;
}

Result<std::vector<JobView>> all_jobs(Site& site) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.user = "all";
  request.jobs.finished = true;
  WM_TRY(auto reply, master->ask(request));
  return std::move(reply.jobs);
}

// How many wait in the same queue and came before it; jobs of higher priority or of plans that are
// owed more may still go first, which its reason says.
std::size_t ahead_of(const JobView& view, const std::vector<JobView>& all) {
  return static_cast<std::size_t>(std::ranges::count_if(all, [&](const JobView& other) {
    return waits(other) && other.id < view.id && other.job->spec().queue == view.job->spec().queue;
  }));
}

SortedJson shared_with(const std::string& result_dir) {
  auto text = read_file(result_dir + "/web.share", kLongestWebFile);
  auto json = text ? json_or_null<SortedJson>(*text) : SortedJson();
  return json.is_array() ? json : SortedJson::array();
}

std::string notebook_json(const JobView& view, const std::vector<JobView>& all) {
  auto report =
      is_own(view) && !waits(view) ? web_report(view.result_dir) : fail(Code::NotFound, "");
  std::string text = "{\"id\":" + rest::json_text(id_part(view.id)) +
                     ",\"path\":" + rest::json_text("/" + id_part(view.id) + "/") +
                     ",\"job\":" + view::job_json(view, {wall_now(), view::Detail::Brief}) +
                     ",\"web\":" + (report ? report->text : "null") + ",\"shared\":" +
                     to_text(is_own(view) ? shared_with(view.result_dir) : SortedJson::array());
  bool limited = view.job->state == JobState::Running && view.run_limit > Duration{};
  if (limited)
    text += ",\"ends\":" + std::to_string(epoch_seconds(view.job->times.started + view.run_limit));
  if (waits(view)) text += ",\"ahead\":" + std::to_string(ahead_of(view, all));
  return text + "}";
}

// Profiles that start something by themselves.
std::string profiles_json(const Site& site) {
  auto config = conf::load(site.conf_dir, conf::this_host());
  SortedJson list = SortedJson::array();
  if (!config) return "[]";
  for (const auto& app : config->apps)
    if (app.type == AppType::Notebook && !app.command.empty())
      list.push_back({{"name", app.name}, {"description", app.description}});
  return to_text(list);
}

Result<JobView> find_notebook(Call& call) {
  auto view = find_own_job(call.site, call.args[0]);
  bool fits = view && view->app_type == kType;
  if (!fits && (view || view.error().code == Code::NotFound))
    return fail(Code::NotFound, "notebook " + call.args[0] + " does not exist");
  return view;
}

// Those that run and those that have, by pages: what has ended is there until its owner deletes it.
Result<Answer> list_notebooks(Call& call) {
  WM_TRY(auto request, rest::runs_request(call.target));
  request.query.user.clear();  // the user's own
  request.query.kind = AppType::Notebook;
  if (call.target.value("limit").empty()) request.limit = kNotebooksInPage;
  WM_TRY(auto runs, runs_page(call.site, request));
  WM_TRY(auto all, all_jobs(call.site));
  std::string rows;
  for (const auto& run : runs.runs)
    if (!run.parts.empty())
      rows += (rows.empty() ? "" : ",") + notebook_json(run.parts.front(), all);
  return json_reply(
      "{\"now\":" + now_text() + ",\"profiles\":" + profiles_json(call.site) + ",\"notebooks\":[" +
      rows + "]" +
      (runs.next == 0 ? "" : ",\"next\":" + rest::json_text(std::to_string(runs.next))) + "}");
}

Result<Answer> show_notebook(Call& call) {
  WM_TRY(auto view, find_notebook(call));
  WM_TRY(auto all, all_jobs(call.site));
  return json_reply(notebook_json(view, all));
}

// ---- starting --------------------------------------------------------------------------------

Result<SortedJson> body_of(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestNotebook));
  auto json = json_or_null<SortedJson>(body.empty() ? "{}" : body);
  if (!json.is_object()) return fail(Code::BadArgument, "a JSON object is wanted");
  return json;
}

Result<std::string> text_in(const SortedJson& json, const char* name) {
  if (!json.contains(name) || json[name].is_null()) return std::string();
  if (!json[name].is_string())
    return fail(Code::BadArgument, std::string(name) + ": a text is wanted");
  return json[name].get<std::string>();
}

Result<int> number_in(const SortedJson& json, const char* name, int most) {
  if (!json.contains(name) || json[name].is_null()) return 0;
  if (!json[name].is_number_integer() || json[name] < 0 || json[name] > most)
    return fail(Code::BadArgument,
                std::string(name) + ": a number up to " + std::to_string(most) + " is wanted");
  return json[name].get<int>();
}

// What the job gets to know besides a login's environment: where the door is, and a token for it.
Result<std::vector<std::pair<std::string, std::string>>> environment_for(Call& call) {
  const auto& head = call.exchange.head();
  WM_TRY(auto file, keep_token(call.site, head.field("x-wm-token")));
  std::vector<std::pair<std::string, std::string>> all{{"USER_ACCESS_TOKEN_FILE", file}};
  auto host = std::string(head.field("x-wm-host"));
  bool plain = !host.empty() && std::ranges::all_of(host, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == ':' || c == '-' || c == '[' || c == ']';
  });
  if (plain) all.emplace_back("WM_GATEWAY_URL", "https://" + host);
  return all;
}

Result<JobRequest> notebook_request(Call& call, const SortedJson& json) {
  JobRequest job;
  WM_TRY(job.app, text_in(json, "profile"));
  if (job.app.empty()) job.app = kType;
  WM_TRY(job.name, text_in(json, "name"));
  if (!json.contains("name")) job.name = job.app;
  WM_TRY(job.queue, text_in(json, "queue"));
  WM_TRY(job.plan, text_in(json, "plan"));
  WM_TRY(job.cwd, text_in(json, "folder"));
  WM_TRY(job.memory, text_in(json, "memory"));
  WM_TRY(auto gpus, number_in(json, "gpus", 1024));
  if (gpus > 0) job.gpu = "num=" + std::to_string(gpus);
  WM_TRY(auto minutes, number_in(json, "minutes", kMostMinutes));
  job.run_limit = std::chrono::minutes(minutes);
  WM_TRY(job.environment, environment_for(call));
  return job;
}

Result<Answer> start_notebook(Call& call) {
  WM_TRY(auto json, body_of(call));
  WM_TRY(auto job, notebook_request(call, json));
  WM_TRY(auto reply, submit(call.site, job, {}));
  return json_reply("{\"id\":" + rest::json_text(id_part(reply.job)) +
                        ",\"path\":" + rest::json_text("/" + id_part(reply.job) + "/") + "}",
                    201);
}

// ---- stop, extend ------------------------------------------------------------------------------

Result<Answer> stop_notebook(Call& call) {
  WM_TRY(auto view, find_notebook(call));
  WM_TRY(auto master, call.site.masters.take());
  KillRequest request;
  request.jobs.ids = {view.id};
  request.reason = waits(view) ? "cancelled on a page" : "stopped on a page";
  WM_TRY(auto reply, master->ask(request));
  for (const auto& outcome : reply.jobs)
    if (outcome.code != 0) return fail(static_cast<Code>(outcome.code), outcome.text);
  return Answer(http::Reply{204, {}, ""});
}

Result<void> need_running(const JobView& view) {
  if (waits(view) || is_over(view.job->state))
    return fail(Code::Conflict, "notebook " + id_part(view.id) + " does not run");
  return {};
}

// With these users, and nobody else from now on.
Result<Answer> share_notebook(Call& call) {
  WM_TRY(auto view, find_notebook(call));
  WM_TRY(auto json, body_of(call));
  WM_TRY(need_running(view));
  bool names = json.contains("users") && json["users"].is_array() &&
               std::ranges::all_of(json["users"], [](const SortedJson& name) {
                 return name.is_string() && rest::is_asset_name(name.get<std::string>());
               });
  if (!names) return fail(Code::BadArgument, "users: a list of names is wanted");
  WM_TRY(replace_file(view.result_dir + "/web.share", to_text(json["users"]) + "\n", 0600));
  return Answer(http::Reply{204, {}, ""});
}

// So long from now on it is not stopped, whether it is used or not.
Result<Answer> extend(Call& call) {
  WM_TRY(auto view, find_notebook(call));
  WM_TRY(auto json, body_of(call));
  WM_TRY(auto minutes, number_in(json, "minutes", kMostMinutes));
  if (minutes == 0) minutes = 60;
  WM_TRY(need_running(view));
  auto until = epoch_seconds(wall_now()) + static_cast<double>(minutes) * 60;
  auto text = std::to_string(static_cast<std::int64_t>(until));
  WM_TRY(replace_file(view.result_dir + "/web.extend", text + "\n", 0600));
  return json_reply("{\"until\":" + text + "}");
}

}  // namespace

bool is_shared_with(const std::string& result_dir, const std::string& user) {
  auto names = shared_with(result_dir);
  return std::ranges::find(names, SortedJson(user)) != names.end();
}

Result<WebReport> web_report(const std::string& result_dir) {
  auto text = read_file(result_dir + "/web.json", kLongestWebFile);
  if (!text || text->empty()) return fail(Code::NotFound, "it has not said where it listens yet");
  auto json = json_or_null<SortedJson>(*text);
  if (!json.is_object()) return fail(Code::Damaged, result_dir + "/web.json: no JSON");
  WebReport report;
  report.address = json.value("address", "");
  report.base = json.value("base", "");
  report.strip = json.value("strip", false);
  report.token_file = json.value("token_file", "");
  report.text = to_text(json);
  return report;
}

#define NOTEBOOK "/api/v1/notebooks"
const std::vector<Route>& notebook_routes() {
  static const std::vector<Route> routes{
      {"GET",
       NOTEBOOK,
       list_notebooks,
       "Those that run and those that have, by pages",
       {},
       "limit cursor state name text"},
      {"POST", NOTEBOOK, start_notebook},
      {"GET", NOTEBOOK "/{id}", show_notebook},
      {"DELETE", NOTEBOOK "/{id}", stop_notebook},
      {"POST", NOTEBOOK "/{id}/stop", stop_notebook},
      {"POST", NOTEBOOK "/{id}/extend", extend},
      {"POST", NOTEBOOK "/{id}/share", share_notebook},
  };
  return routes;
}

}  // namespace wm::user
