// The rows of /api/v1 about jobs: lists, one job with all that explains it, what can be done to it.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>

#include "daemons/wuserd/catalog/catalog.h"
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/curves.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/jobs/runs.h"
#include "daemons/wuserd/master/clock.h"
#include "daemons/wuserd/master/hub.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/who.h"
#include "libwm/base/clock.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/exec_words.h"
#include "libwm/rest/run_request.h"
#include "libwm/rest/timeline.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

Result<Answer> session(Call& call) {
  return json_reply("{\"user\":" + rest::json_text(call.site.user) +
                    ",\"cluster\":" + rest::json_text(call.site.conf.name) +
                    ",\"version\":" + rest::json_text(WM_VERSION) +
                    ",\"admin\":" + (looks_like_admin(call.site) ? "true" : "false") +
                    ",\"now\":" + now_text() + "}");
}

/// A page of jobs.
struct JobsPage {
  std::vector<JobView> jobs;
  std::string next;  ///< its last one, if there are more
};

// The words of a list of runs, of everybody's, shelved ones among them unless they say otherwise.
Result<RunsRequest> jobs_request(const Call& call, JobId before) {
  auto target = call.target;
  auto add = [&](const char* word, std::string value) {
    if (target.value(word).empty()) target.query[word] = std::move(value);
  };
  if (!target.value("order").empty())
    return fail(Code::BadArgument, "order: jobs are listed the newest first");
  target.query.erase("cursor");
  add("user", "all");
  add("shelved", "any");
  add("limit", std::to_string(kMostRunsInPage));
  WM_TRY(auto request, rest::runs_request(target));
  if (before.job != 0) request.query.to = before.job + 1;
  request.whole = true;
  return request;
}

// ?limit=N&cursor=ID: at most N older than that one, the elements of an array one by one. No more
// is asked for than the page takes.
Result<JobsPage> page_of_jobs(Call& call) {
  JobId before;
  if (auto cursor = call.target.value("cursor"); !cursor.empty()) {
    WM_TRY(before, parse_job_id(cursor));
  }
  WM_TRY(auto request, jobs_request(call, before));
  JobsPage page;
  WM_TRY(each_run(call.site, request, [&](RunView& run) {
    std::ranges::reverse(run.parts);
    for (auto& part : run.parts) {
      if (before.job != 0 && !(part.id < before)) continue;
      if (page.jobs.size() == request.limit) {
        page.next = to_string(page.jobs.back().id);
        return false;
      }
      page.jobs.push_back(std::move(part));
    }
    return true;
  }));
  return page;
}

// What the master has in memory, as `bjobs -a` shows it: what pages begin with, and follow.
Result<JobsPage> jobs_of_now(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  JobsRequest request;
  request.jobs.user = "all";
  request.jobs.finished = true;
  WM_TRY(auto reply, master->ask(request));
  std::ranges::reverse(reply.jobs);
  return JobsPage{std::move(reply.jobs), ""};
}

Result<Answer> jobs(Call& call) {
  WM_TRY(auto page, call.target.query.empty() ? jobs_of_now(call) : page_of_jobs(call));
  return json_reply("{\"now\":" + now_text() +
                    ",\"jobs\":" + view::jobs_json(page.jobs, {wall_now(), view::Detail::Brief}) +
                    (page.next.empty() ? "" : ",\"next\":" + rest::json_text(page.next)) + "}");
}

// What was asked for. Of its data what lies on a volume: what was fetched is at no place of its
// own.
Result<rest::ExecRequest> request_of(const Execution& exec) {
  WM_TRY(auto request, rest::parse_exec(exec.args));
  WM_TRY(auto wish, rest::data_wish(exec.data));
  if (wish.sources.empty() && !exec.data.empty())
    WM_TRY(rest::add_exec_data("{\"dataSource\":" + rest::list_json(exec.data) + "}", request));
  return request;
}

// What it computes on the job knows: a hardware specification is not among the arguments.
bool say_devices(const JobSpec& spec, rest::ExecRequest& request) {
  auto gpus = spec.task.milli_gpus / 1000;
  request.device = gpus > 0 ? rest::Device::Gpu : rest::Device::Cpu;
  request.devices = std::max(1u, gpus > 0 ? gpus : spec.task.milli_cpus / 1000);
  return gpus > 0;
}

// The line of bsub that asks for the same, in the folder of the code.
std::string bsub_line(const Site& site, const JobSpec& spec) {
  const auto& exec = spec.exec;
  auto request = request_of(exec);
  auto known = known_frameworks(site);
  if (!request || !known || !resolve_names(site, *request)) return "";
  auto framework = rest::find_framework(*known, exec.framework);
  if (!framework) return "";
  request->plan = rest::plan_of(request->plan, site.conf.name);
  bool gpus = std::ranges::any_of(spec.groups, [](const auto& g) { return !g.gpu.empty(); });
  if (spec.groups.empty()) gpus = say_devices(spec, *request);
  auto words = rest::bsub_words(*request, *framework, {"", site.conf.dirs.data, gpus});
  return words ? rest::shell_line(*words) : "";
}

std::string exec_text(const Call& call, const JobView& view) {
  const auto& spec = view.job->sealed->spec;
  const auto& exec = spec.exec;
  if (!is_own(view) || !rest::is_execution(view)) return "null";
  return "{\"args\":" + rest::json_text(exec.args) +
         ",\"framework\":" + rest::json_text(exec.framework) +
         ",\"bsub\":" + rest::json_text(bsub_line(call.site, spec)) + "}";
}

// The groups of a job that has such, each with the id that its own page has. Who may see a summary
// alone sees none.
std::string groups_text(const JobView& view) {
  const auto& groups = view.job->sealed->spec.groups;
  std::string list;
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    // Of the whole job the workers behind a driver are shown with it.
    if (i == 1 && view.id.index == 0 && rest::has_driver(view)) continue;
    JobId id{view.id.job, i + 1};
    list += std::string(list.empty() ? "" : ",") + R"({"jobid":)" + rest::json_text(to_string(id)) +
            R"(,"name":)" + rest::json_text(groups[i].name) + "}";
  }
  return "[" + list + "]";
}

Result<Answer> job(Call& call) {
  WM_TRY(auto view, find_job(call.site, call.args[0]));
  return json_reply("{\"now\":" + now_text() + ",\"own\":" + (is_own(view) ? "true" : "false") +
                    ",\"exec_id\":" + rest::json_text(exec_id(call.site.conf.name, view.id)) +
                    ",\"exec\":" + exec_text(call, view) + ",\"groups\":" + groups_text(view) +
                    ",\"job\":" + view::job_json(view, {wall_now()}) + "}");
}

HistoryRequest about(JobId id) {
  HistoryRequest request;
  request.jobs.ids = {id};
  return request;
}

Result<Answer> timeline(Call& call) {
  WM_TRY(auto view, find_job(call.site, call.args[0]));
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(about(view.id)));
  if (reply.jobs.empty()) return json_reply("{\"events\":[]}");
  return json_reply(rest::timeline_json(reply.jobs.front()));
}

Result<double> number_in(std::string_view name, const std::string& text) {
  double value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc() && end == text.data() + text.size()) return value;
  return fail(Code::BadArgument,
              std::string(name) + ": '" + text.substr(0, 64) + "': a number is wanted");
}

// names: "group name", one a line; from, to: iterations; points: of each series.
Result<MetricWish> metric_wish(const rest::Target& target) {
  MetricWish wish;
  wish.most = 800;
  if (auto points = target.value("points"); !points.empty()) {
    WM_TRY(auto most, number_in("points", points));
    if (!(most >= 1 && most <= 2000))
      return fail(Code::BadArgument, "points: a number from 1 to 2000 is wanted");
    wish.most = static_cast<std::size_t>(most);
  }
  for (auto [word, bound] : {std::pair{"from", &wish.from}, {"to", &wish.to}})
    if (auto text = target.value(word); !text.empty()) {
      WM_TRY(*bound, number_in(word, text));
    }
  std::istringstream lines(target.value("names"));
  for (std::string name; std::getline(lines, name);) wish.names.push_back(name);
  return wish;
}

Result<Answer> job_metrics(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  WM_TRY(auto wish, metric_wish(call.target));
  return json_reply(metrics_of(view.result_dir, wish).json(wish.most));
}

Result<Answer> logs(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  return json_reply(logs_json(view.result_dir));
}

Result<Answer> job_log(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  WM_TRY(send_log_part(call, view.result_dir, call.args[1], call.args[2]));
  return Answer();
}

Result<Answer> job_result(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  WM_TRY(send_results(call, view));
  return Answer();
}

Result<Answer> stream(Call& call) {
  call.site.hub->follow(call.exchange);
  return Answer();
}

Result<WallTime> since(const std::string& minutes) {
  int count = 12;
  if (!minutes.empty()) {
    auto [end, ec] = std::from_chars(minutes.data(), minutes.data() + minutes.size(), count);
    if (ec != std::errc() || end != minutes.data() + minutes.size() || count < 1 || count > 1440)
      return fail(Code::BadArgument, "minutes: a number from 1 to 1440 is wanted");
  }
  return wall_now() - std::chrono::minutes(count);
}

Result<std::uint32_t> capacity_of(client::Master& master) {
  WM_TRY(auto reply, master.ask(HostsRequest{}));
  std::uint32_t slots = 0;
  for (const auto& host : reply.hosts)
    if (host.connected) slots += host.host.capacity.slots;
  return slots;
}

Result<Answer> slots(Call& call) {
  WM_TRY(auto from, since(call.target.value("minutes")));
  WM_TRY(auto master, call.site.masters.take());
  // Who ended before held nothing; who has never been dispatched holds nothing yet.
  HistoryRequest ended, begun;
  ended.jobs.user = begun.jobs.user = "all";
  ended.jobs.finished = true;
  ended.ended_from = from;
  begun.dispatched_from = WallTime(Duration(1));
  WM_TRY(auto past, master->ask(ended));
  WM_TRY(auto present, master->ask(begun));
  std::erase_if(present.jobs, [](const HistoryJob& job) { return job.ended != WallTime{}; });
  std::move(present.jobs.begin(), present.jobs.end(), std::back_inserter(past.jobs));
  WM_TRY(auto capacity, capacity_of(*master));
  return json_reply(rest::slots_json(past.jobs, from, wall_now(), capacity));
}

// What an execution with these args would be, in the words of the three clients.
Result<Answer> lines(Call& call) {
  WM_TRY(auto request, rest::parse_exec(call.target.value("args")));
  if (auto data = call.target.value("data"); !data.empty())
    WM_TRY(rest::add_exec_data(data, request));
  WM_TRY(resolve_names(call.site, request));
  WM_TRY(auto known, known_frameworks(call.site));
  WM_TRY(auto framework, rest::find_framework(known, request.framework));
  rest::ExecPlace place{"", call.site.conf.dirs.data, true};
  WM_TRY(rest::check_fit(request, framework, place));
  WM_TRY(auto words, rest::bsub_words(request, framework, place));
  auto dlicmd = "dlicmd " + request.args;
  return json_reply("{\"bsub\":" + rest::json_text(rest::shell_line(words)) +
                    ",\"dlicmd\":" + rest::json_text(dlicmd) + "}");
}

}  // namespace

#define API "/api/v1"
const std::vector<Route>& job_routes() {
  static const std::vector<Route> routes{
      {"GET", API "/session", session, "Who asks, and the server's clock", "session"},
      {"GET", API "/stream", stream,
       "Event stream: job, tick, reset, stale; resumes after Last-Event-ID"},
      {"GET", API "/slots", slots, "Slots that jobs held, over time", "slots", "minutes"},
      {"GET", API "/lines", lines, "What an execution would be in the words of bsub and dlicmd",
       "lines", "args data"},
      {"GET", API "/jobs", jobs,
       "Jobs, the newest first: those of now; with any of these also what the archive keeps, in "
       "pages "
       "of which next is the cursor",
       "jobs",
       "user name state type framework plan project queue app service label tag text search "
       "starred "
       "shelved from to ended_from ended_to cursor limit"},
      {"GET", API "/jobs/{id}", job, "One job, with tasks and reasons", "job"},
      {"GET", API "/jobs/{id}/timeline", timeline, "What happened to it", "timeline"},
      {"GET", API "/jobs/{id}/metrics", job_metrics, "What its script reported", "metrics",
       "names from to points"},
      {"GET", API "/jobs/{id}/logs", logs, "Sizes of its workers' output", "logs"},
      {"GET", API "/jobs/{id}/logs/{worker}/{stream}", job_log, "Output of a worker", "",
       "tail from most"},
      {"GET", API "/jobs/{id}/result.zip", job_result, "Its results"},
  };
  return routes;
}

}  // namespace wm::user
