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
#include "daemons/wuserd/master/clock.h"
#include "daemons/wuserd/master/hub.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/who.h"
#include "libwm/base/clock.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/exec_words.h"
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

// ?limit=N&cursor=ID: at most N jobs older than that one; the cursor of what is left, or none.
Result<std::string> cut_page(const Call& call, std::vector<JobView>& jobs) {
  if (auto cursor = call.target.value("cursor"); !cursor.empty()) {
    WM_TRY(auto after, parse_job_id(cursor));
    auto first = std::find_if(jobs.begin(), jobs.end(),
                              [&](const JobView& view) { return view.id < after; });
    jobs.erase(jobs.begin(), first);
  }
  auto text = call.target.value("limit");
  if (text.empty()) return std::string();
  std::size_t limit = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (ec != std::errc() || end != text.data() + text.size() || limit == 0)
    return fail(Code::BadArgument, "limit: a number from 1 is wanted");
  if (jobs.size() <= limit) return std::string();
  jobs.resize(limit);
  return to_string(jobs.back().id);
}

Result<Answer> jobs(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  JobsRequest request;
  request.jobs.user = "all";
  request.jobs.finished = true;
  WM_TRY(auto reply, master->ask(request));
  std::reverse(reply.jobs.begin(), reply.jobs.end());
  WM_TRY(auto next, cut_page(call, reply.jobs));
  return json_reply("{\"now\":" + now_text() +
                    ",\"jobs\":" + view::jobs_json(reply.jobs, {wall_now(), view::Detail::Brief}) +
                    (next.empty() ? "" : ",\"next\":" + rest::json_text(next)) + "}");
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

Result<Answer> job(Call& call) {
  WM_TRY(auto view, find_job(call.site, call.args[0]));
  return json_reply("{\"now\":" + now_text() + ",\"own\":" + (is_own(view) ? "true" : "false") +
                    ",\"exec_id\":" + rest::json_text(exec_id(call.site.conf.name, view.id)) +
                    ",\"exec\":" + exec_text(call, view) +
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
       "Jobs, the newest first; with limit in pages, of which next is the cursor", "jobs",
       "limit cursor"},
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
