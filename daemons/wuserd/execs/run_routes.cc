// The rows of /api/v1 about runs: whatever has run or runs, live or kept by the archive: lists by
// filters and pages, what their owners say of them, several side by side, and their deletion.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/execs/end.h"
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/curves.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/jobs/run_files.h"
#include "daemons/wuserd/jobs/runs.h"
#include "daemons/wuserd/master/clock.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/rest/run_request.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCompared = 50;
constexpr std::size_t kMostFilesShown = 1000;
constexpr std::size_t kMostComparedPoints = 2000;
constexpr std::uint32_t kMostDeletedRuns = kMostCounted;

Error no_run(const std::string& id) {
  return fail(Code::NotFound, "run " + id.substr(0, 200) + " does not exist");
}

bool is_own_run(const RunView& run) { return !run.parts.empty() && is_own(run.parts.front()); }

Result<RunView> find_run(Site& site, const std::string& id) {
  auto job = rest::parse_exec_id(site.conf.name, id);
  if (!job || job->index != 0) return no_run(id);
  WM_TRY(auto run, run_of(site, job->job));
  if (!run) return no_run(id);
  return std::move(*run);
}

Result<RunView> find_own_run(Site& site, const std::string& id) {
  WM_TRY(auto run, find_run(site, id));
  if (!is_own_run(run)) return no_run(id);
  return run;
}

Result<Answer> list_runs(Call& call) {
  WM_TRY(auto request, rest::runs_request(call.target));
  WM_TRY(auto reply, runs_page(call.site, request));
  auto text = rest::runs_json(reply, request, call.site.conf.name, call.site.user);
  return json_reply("{\"now\":" + now_text() + "," + text.substr(1));
}

// Of files that somebody has removed by hand the record says so: logs, curves and models are empty.
// A job has a folder once it writes; an execution has its code there from its first start on.
const char* files_of_run(const RunView& run) {
  if (!is_own_run(run)) return "";
  const auto& head = run.parts.front();
  std::error_code ec;
  if (!head.result_dir.empty() && fs::is_directory(head.result_dir, ec)) return "there";
  bool had = !head.job->spec().exec.bundle.empty() && head.job->times.started != WallTime{};
  return had ? "gone" : "none";
}

Result<Answer> show_run(Call& call) {
  WM_TRY(auto run, find_run(call.site, call.args[0]));
  return json_reply("{\"now\":" + now_text() + ",\"files\":\"" + files_of_run(run) + "\"" +
                    ",\"run\":" + rest::run_json(run, call.site.conf.name, is_own_run(run)) +
                    ",\"parts\":" + view::jobs_json(run.parts, {wall_now(), view::Detail::Brief}) +
                    "}");
}

// Of a run, or of one element.
Result<Answer> list_files(Call& call) {
  const auto& id = call.args[0];
  auto job = rest::parse_exec_id(call.site.conf.name, id);
  if (!job) return no_run(id);
  WM_TRY(auto run, find_own_run(call.site, std::to_string(job->job)));
  if (job->index != 0)
    std::erase_if(run.parts, [&](const JobView& part) { return part.id.index != job->index; });
  if (run.parts.empty()) return no_run(id);
  return json_reply(run_files_json(files_in(folders_of(run), kMostFilesShown)));
}

// Two who edit at once: the second is told, where it says of what it knew.
Result<Answer> describe_run(Call& call) {
  WM_TRY(auto run, find_own_run(call.site, call.args[0]));
  WM_TRY(auto body, http::read_body(call.exchange, kLongestJson));
  WM_TRY(auto words, rest::patched_words(run.facts.words, body));
  auto wanted = std::string(call.exchange.head().field("if-match"));
  auto tag = "\"" + rest::words_tag(run.facts.words) + "\"";
  auto changed = [&]() -> Result<Answer> {
    return Answer(
        error_reply(call.exchange.head().target, 412, "the run was described otherwise meanwhile"));
  };
  if (!wanted.empty() && wanted != "*" && wanted != tag) return changed();
  DescribeRunRequest request;
  request.run = {run.facts.job, 0};
  request.words = words;
  request.known = run.facts.words;
  WM_TRY(auto master, call.site.masters.take());
  auto reply = master->ask(request);
  if (!reply && reply.error().code == Code::Stale) return changed();
  if (!reply) return reply.error();
  run.facts.words = reply->words;
  return json_reply("{\"run\":" + rest::run_json(run, call.site.conf.name, true) + "}");
}

// Files first: of what has no record nobody finds them again.
Result<void> delete_run(Site& site, const RunView& run) {
  for (const auto& part : run.parts)
    if (!is_over(part.job->state) && part.job->state != JobState::Array)
      return fail(Code::Conflict,
                  "run " + std::to_string(run.facts.job) + " has not ended: stop it first");
  for (const auto& part : run.parts) WM_TRY(remove_results(site, part));
  forget_data(site, run.parts.front());
  WM_TRY(site.records.remove_files(run.parts.front().job->spec().exec.bundle));
  return delete_record(site, {run.facts.job, 0});
}

Result<Answer> remove_run(Call& call) {
  WM_TRY(auto run, find_own_run(call.site, call.args[0]));
  WM_TRY(delete_run(call.site, run));
  return done();
}

// All that answer to a filter, when the asker has said how many those are.
Result<Answer> remove_runs(Call& call) {
  auto target = call.target;
  auto said = target.value("count");
  target.query.erase("count");
  WM_TRY(auto request, rest::runs_request(target));
  request.query.user = call.site.user;
  request.count = true;
  request.whole = true;
  request.limit = kMostRunsInPage;
  WM_TRY(auto reply, runs_page(call.site, request));
  auto count = std::to_string(reply.count);
  if (reply.count > kMostDeletedRuns)
    return fail(Code::Limit, "more than " + std::to_string(kMostDeletedRuns) +
                                 " runs answer to this: ask for fewer");
  if (said != count)
    return fail(Code::Conflict, count + " runs answer to this, not " +
                                    (said.empty() ? "none: say count=" + count : said) +
                                    "; nothing is deleted");
  request.count = false;
  std::vector<RunView> runs;
  WM_TRY(each_run(call.site, request, [&](RunView& run) {
    runs.push_back(std::move(run));
    return true;
  }));
  for (const auto& run : runs)
    if (is_own_run(run)) WM_TRY(delete_run(call.site, run));
  return json_reply("{\"deleted\":" + std::to_string(runs.size()) + "}");
}

// Of each metric its newest value, and its least and most.
void add_metrics(Json& row, const std::string& result_dir) {
  row["metrics"] = row["extremes"] = Json::object();
  const auto metrics = metrics_of(result_dir, {});
  for (const auto& [key, one] : metrics.series()) {
    auto name = key.first + " " + key.second;
    row["metrics"][name] = one.summary.last;
    row["extremes"][name] = {one.summary.least, one.summary.most};
  }
}

// "--lr 0.1 --tags=a": by name.
Json settings_side(const std::string& args) {
  Json settings = Json::object();
  std::istringstream words(args);
  std::string name, word;
  while (words >> word) {
    bool option = word.starts_with("--") && word.size() > 2;
    auto equals = word.find('=');
    if (option && equals != word.npos)
      settings[word.substr(2, equals - 2)] = word.substr(equals + 1);
    else if (option) settings[name = word.substr(2)] = "";
    else if (!name.empty()) settings[std::exchange(name, "")] = word;
    if (option && equals != word.npos) name.clear();
  }
  return settings;
}

// An execution says what it was given; any other job's words are its command.
Json settings_of(const JobSpec& spec) {
  return settings_side(spec.exec.args.empty() ? spec.program.command : spec.exec.args);
}

Result<std::vector<RunView>> runs_to_compare(Call& call) {
  std::vector<RunView> runs;
  std::istringstream list(call.target.value("ids"));
  for (std::string id; std::getline(list, id, ',');) {
    if (runs.size() == kMostCompared)
      return fail(Code::Limit, "ids: at most " + std::to_string(kMostCompared));
    WM_TRY(auto run, find_own_run(call.site, id));
    runs.push_back(std::move(run));
  }
  if (runs.empty()) return fail(Code::BadArgument, "ids: numbers with commas are wanted");
  return runs;
}

Result<Answer> compare_runs(Call& call) {
  WM_TRY(auto chosen, runs_to_compare(call));
  Json runs = Json::array();
  for (const auto& run : chosen) {
    const auto& head = run.parts.front();
    auto row = json_or_null(rest::run_json(run, call.site.conf.name, true));
    row["settings"] = settings_of(head.job->spec());
    add_metrics(row, head.result_dir);
    runs.push_back(std::move(row));
  }
  return json_reply(to_text(Json{{"runs", std::move(runs)}}));
}

Result<std::size_t> points_asked(const std::string& text) {
  std::size_t points = kMostComparedPoints;
  if (text.empty()) return points;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), points);
  if (ec != std::errc() || end != text.data() + text.size() || points < 1 ||
      points > kMostComparedPoints)
    return fail(Code::BadArgument,
                "points: a number from 1 to " + std::to_string(kMostComparedPoints) + " is wanted");
  return points;
}

Result<Answer> compared_series(Call& call) {
  WM_TRY(auto chosen, runs_to_compare(call));
  WM_TRY(auto points, points_asked(call.target.value("points")));
  MetricWish wish;
  wish.most = points;
  std::istringstream lines(call.target.value("names"));
  for (std::string name; std::getline(lines, name);) wish.names.push_back(name);
  std::vector<rest::Metrics> metrics;
  if (!wish.names.empty())
    for (const auto& run : chosen)
      metrics.push_back(metrics_of(run.parts.front().result_dir, wish));
  else metrics.resize(chosen.size());
  return json_reply(rest::compared_json(metrics, points));
}

}  // namespace

#define RUNS "/api/v1/runs"
const std::vector<Route>& run_routes() {
  static const std::vector<Route> routes{
      {"GET", RUNS, list_runs, "What has run and what runs, the newest first, by pages", "runs",
       "user name state type framework plan project queue app service label tag text search "
       "starred "
       "shelved from to ended_from ended_to order cursor limit count"},
      {"DELETE", RUNS, remove_runs, "Deletes one's own that answer; count says how many those are"},
      {"GET", RUNS "/compare", compare_runs,
       "Settings of several, the newest, least and most of their metrics", "compared", "ids"},
      {"GET", RUNS "/series", compared_series,
       "Metrics of several on one grid of iterations; names: \"group name\", one a line",
       "compared_series", "ids names points"},
      {"GET", RUNS "/{id}", show_run, "One run, with its parts", "run"},
      {"GET", RUNS "/{id}/files", list_files,
       "Files that it left, the largest first: results, models, checkpoints, logs, code",
       "run_files"},
      {"PATCH", RUNS "/{id}", describe_run, "name, description, note, tags, starred, shelved"},
      {"DELETE", RUNS "/{id}", remove_run, "Deletes its record and its files"},
  };
  return routes;
}

}  // namespace wm::user
