// bsearch: searches from a shell: begin, follow, stop, continue, draw. What they are is
// libwm/rest's, what is done to them libwm/submit/search_acts, how they begin
// common/search_start.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "commands/common/command.h"
#include "commands/common/search_plot.h"
#include "commands/common/search_start.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/client/launch.h"
#include "libwm/model/elements.h"
#include "libwm/proc/process.h"
#include "libwm/rest/search_task.h"
#include "libwm/submit/search_acts.h"

namespace wm::cmd {
namespace {

using Json = nlohmann::json;
using Kind = Option::Kind;

constexpr Duration kPlotLimit = std::chrono::seconds(60);
constexpr Bytes kMostPlot{16 << 20};

constexpr Option kOptions[] = {
    {"n", Kind::Number, "trials", "Of show: so many of the best, else 20. Of extend: so many more"},
    {"json", Kind::Flag, "", "As JSON: list and show"},
    {"-model-dir", Kind::Text, "folder", "Of start: the code of a trial, copied now"},
    {"q", Kind::Text, "queue", "Of start: the queue"},
    {"plan", Kind::Text, "plan", "Of start: the plan"},
    {"plugin", Kind::Text, "folder",
     "Of start: the algorithm's optimizer.py is here, else it was installed"},
    {"o", Kind::Text, "file",
     "Of plot: the picture, PNG or SVG by its ending; else on the terminal"},
};

constexpr const char* kSynopsis =
    "bsearch start [options] file.json | list | show|best|stop|restart|delete|extend|plot search\n"
    "  start       Begin what the file asks for, as POST /hypersearch takes it; -: standard input\n"
    "  list        One's searches, the newest first\n"
    "  show        Its trials, the best first; also without this word\n"
    "  best        The best trial, as JSON\n"
    "  stop        End its trials and begin no more\n"
    "  restart     Go on with one that was stopped\n"
    "  delete      Show it no more: it is over, or stopped\n"
    "  extend      Another search, that begins with what this one found\n"
    "  plot        Draw the trials and the best so far\n"
    "  A search is named by its name, or by its job's number";

struct Trial {
  JobId id;
  std::string state;
  Json config, metrics;
  double value = NAN;
};

// A search as it is told: what was asked for, and its trials.
struct Told {
  Json search;
  std::uint32_t reserved = 0, given = 0;
  bool closed = false, held = false;
  std::string reason;  // why the next trial is not there
  std::vector<Trial> trials;
};

// The best that it reported: the least, or the greatest.
double value_of(const Json& metrics, const Json& search) {
  auto metric = metrics.find(search.value("metric", std::string()));
  if (metric == metrics.end()) return NAN;
  bool least = search.value("goal", std::string("minimize")) != "maximize";
  return metric->value(least ? "min" : "max", std::nan(""));
}

Trial trial_of(const JobView& view, const std::string& config, const Json& search) {
  Trial trial{view.id, std::string(state_name(view.job->state)), json_or_null<Json>(config),
              Json::object(), NAN};
  auto metrics = json_or_null<Json>(view.job->trial.report);
  if (metrics.is_object()) trial.metrics = std::move(metrics);
  trial.value = value_of(trial.metrics, search);
  return trial;
}

Result<Told> ask(client::Master& from, JobId job) {
  Told told;
  WM_TRY(auto given, given_to(from, job));
  const auto& configs = given.data;
  told.given = given.given;
  told.closed = given.closed;
  JobsRequest request;
  request.jobs.ids = {job};
  WM_TRY(auto reply, from.ask(request));
  for (const auto& view : reply.jobs) {
    const JobSpec& spec = view.job->sealed->spec;
    if (told.search.is_null()) {
      told.search = json_or_null<Json>(spec.exec.search);
      told.reserved = element_count(spec);
    }
    if (view.id.index == 0) {  // what is still to come
      told.held = view.job->state == JobState::Held;
      if (!view.reasons.empty()) told.reason = view.reasons.front().text;
      continue;
    }
    auto at = view.id.index - 1;
    told.trials.push_back(trial_of(view, at < configs.size() ? configs[at] : "{}", told.search));
  }
  if (!reply.jobs.empty() && !reply.jobs.front().job->spec().exec.search.empty())
    told.reason = rest::reason_of(rest::search_task(reply.jobs, given));
  if (!told.search.is_object() && !told.trials.empty())
    return fail(Code::Conflict, "Job <" + to_string(job) + ">: is no search");
  if (!told.search.is_object()) told.search = Json::object();
  return told;
}

// Those with a value, the best first; then the others, in order.
void rank(Told& told) {
  bool least = told.search.value("goal", std::string("minimize")) != "maximize";
  std::ranges::stable_sort(told.trials, [&](const Trial& a, const Trial& b) {
    bool has_a = std::isfinite(a.value), has_b = std::isfinite(b.value);
    if (has_a != has_b) return has_a;
    return has_a && (least ? a.value < b.value : a.value > b.value);
  });
}

std::string words_of(const Json& config) {
  std::string text;
  if (!config.is_object()) return text;
  for (const auto& [name, value] : config.items())
    text += (text.empty() ? "" : " ") + name + "=" +
            (value.is_string() ? value.get<std::string>() : to_text(value));
  return text;
}

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

void print_table(JobId job, const Told& told, std::size_t most) {
  auto over = std::ranges::count_if(told.trials, [](const Trial& t) {
    return t.state == "finished" || t.state == "failed" || t.state == "killed";
  });
  say("Search <" + to_string(job) + ">: " + told.search.value("algorithm", std::string("auto")) +
      ", " + told.search.value("goal", std::string("minimize")) + " " +
      told.search.value("metric", std::string()) + ", " + std::to_string(over) + " of " +
      std::to_string(told.given) + " trials over, up to " + std::to_string(told.reserved) +
      (told.closed ? "; no more will follow\n" : "\n"));
  if (!told.reason.empty()) say(told.reason + "\n");
  say("TRIAL    STATE      VALUE         PARAMETERS\n");
  for (std::size_t i = 0; i < std::min(most, told.trials.size()); ++i) {
    const Trial& trial = told.trials[i];
    char head[64];
    std::snprintf(head, sizeof head, "%-8s %-10s %-13s ",
                  ("[" + std::to_string(trial.id.index) + "]").c_str(), trial.state.c_str(),
                  number(trial.value).c_str());
    say(head + words_of(trial.config) + "\n");
  }
  if (told.trials.size() > most)
    say("and " + std::to_string(told.trials.size() - most) + " more: bsearch -n " +
        std::to_string(told.trials.size()) + " " + to_string(job) + "\n");
}

void print_json(JobId job, const Told& told) {
  Json trials = Json::array();
  for (const Trial& trial : told.trials) {
    Json value = std::isfinite(trial.value) ? Json(trial.value) : Json();
    trials.push_back({{"index", trial.id.index},
                      {"state", trial.state},
                      {"value", value},
                      {"config", trial.config},
                      {"metrics", trial.metrics}});
  }
  Json all{{"job", job.job},        {"search", told.search},      {"reserved", told.reserved},
           {"given", told.given},   {"closed", told.closed},      {"held", told.held},
           {"reason", told.reason}, {"trials", std::move(trials)}};
  say(to_text(all, 1) + "\n");
}

// Where a search that was deleted is remembered, beside bundles that wait: wuserd looks there, too.
Result<std::string> mark_path(JobId job) {
  WM_TRY(auto conf, cluster_conf());
  WM_TRY(auto incoming, incoming_here(conf));
  return incoming + "/" + mark_of_search(job) + ".deleted";
}

// The caller's searches that are not deleted, the newest first.
Result<std::vector<rest::SearchTask>> tasks_of(client::Master& from, const RunQuery& query) {
  WM_TRY(auto tasks, searches_of(from, query));
  WM_TRY(auto marks, mark_path({}));
  auto folder = std::filesystem::path(marks).parent_path();
  std::erase_if(tasks, [&](const auto& task) {
    std::error_code ec;
    return std::filesystem::exists(folder / (mark_of_search(task.job) + ".deleted"), ec);
  });
  return tasks;
}

// By its name, the newest of that name; else by its job's number.
Result<rest::SearchTask> task_named(client::Master& from, const std::string& word) {
  RunQuery query;
  query.name = word;
  WM_TRY(auto tasks, tasks_of(from, query));
  for (auto& task : tasks)
    if (task.name == word) return std::move(task);
  bool number =
      !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == word.npos;
  if (number) {
    query = {};
    query.jobs = {static_cast<std::uint32_t>(std::stoul(word))};
    WM_TRY(tasks, tasks_of(from, query));
    if (!tasks.empty()) return std::move(tasks.front());
    JobsRequest request;
    request.jobs.finished = true;
    request.jobs.ids = {{query.jobs.front(), 0}};
    WM_TRY(auto reply, from.ask(request));
    if (!reply.jobs.empty() && reply.jobs.front().job->spec().exec.search.empty())
      return fail(Code::Conflict, "Job <" + word + ">: is no search");
  }
  return fail(Code::NotFound, "search " + word.substr(0, 200) + " does not exist");
}

void print_list(const std::vector<rest::SearchTask>& tasks) {
  say("JOBID    STATE      TRIALS     BEST         NAME\n");
  for (const auto& task : tasks) {
    auto json = json_or_null<Json>(rest::tuning_json(task, wall_now()));
    const auto& best = json["best"];
    char line[96];
    std::snprintf(line, sizeof line, "%-8s %-10s %-10s %-12s ", to_string(task.job).c_str(),
                  json["state"].get_ref<const std::string&>().c_str(),
                  json["progress"].get_ref<const std::string&>().c_str(),
                  best.is_null() ? "-" : number(best["metricVal"].get<double>()).c_str());
    say(line + task.name + "\n");
  }
}

// As GET /hypersearch has them.
Result<int> list(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto tasks, tasks_of(from, RunQuery{}));
  if (!options.has("json")) {
    print_list(tasks);
    return 0;
  }
  Json all = Json::array();
  for (const auto& task : tasks)
    all.push_back(json_or_null<Json>(rest::tuning_json(task, wall_now())));
  say(to_text(all, 1) + "\n");
  return 0;
}

Result<std::uint32_t> number_of(const Parsed& options, std::uint32_t otherwise) {
  auto n = options.first("n");
  if (!n) return otherwise;
  char* end = nullptr;
  auto value = std::strtoul(n->c_str(), &end, 10);
  if (value == 0 || value > 1000000 || *end != '\0')
    return fail(Code::BadArgument, "-n " + *n + ": a number from 1 to 1000000 is wanted");
  return static_cast<std::uint32_t>(value);
}

Result<int> show(client::Master& from, const rest::SearchTask& task, const Parsed& options) {
  WM_TRY(auto most, number_of(options, 20));
  WM_TRY(auto told, ask(from, task.job));
  rank(told);
  if (options.has("json")) print_json(task.job, told);
  else print_table(task.job, told, most);
  return 0;
}

// The best experiment, as REST has it.
Result<int> best(const rest::SearchTask& task) {
  say(to_text(json_or_null<Json>(rest::tuning_json(task, wall_now()))["best"], 1) + "\n");
  return 0;
}

Result<int> forget(client::Master& from, const rest::SearchTask& task) {
  WM_TRY(end_search(from, task));
  WM_TRY(auto path, mark_path(task.job));
  std::error_code ec;
  auto incoming = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(incoming, ec);
  if (!std::ofstream(path)) return fail(Code::System, path + ": cannot be written");
  if (!task.bundle.empty()) std::filesystem::remove_all(incoming / task.bundle, ec);
  say("Search <" + task.name + "> is deleted\n");
  return 0;
}

Result<int> plot(client::Master& from, const rest::SearchTask& task, const Parsed& options) {
  WM_TRY(auto told, ask(from, task.job));
  SearchPicture picture;
  picture.title = "search " + task.name;
  picture.metric = told.search.value("metric", std::string());
  picture.least = told.search.value("goal", std::string("minimize")) != "maximize";
  for (const Trial& trial : told.trials) picture.values.push_back(trial.value);
  auto has_any = std::ranges::any_of(picture.values, [](double v) { return std::isfinite(v); });
  if (!has_any)
    return fail(Code::Conflict, "search " + task.name + ": no trial has reported a number yet");
  auto size = client::size_of_terminal(STDOUT_FILENO);
  auto script = plot_script(picture, options.first("o").value_or(""),
                            size.columns ? size.columns : 80, size.rows > 10 ? size.rows - 1 : 24);
  WM_TRY(auto drawn, proc::run({{"gnuplot"}, script}, kPlotLimit, kMostPlot));
  say(drawn.out);
  complain(drawn.err);
  if (drawn.status == 0) return 0;
  return fail(Code::System, "gnuplot ended with status " + std::to_string(drawn.status) +
                                "; may the file be written?");
}

Result<std::string> text_in(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Code::NotFound, path + ": cannot be read");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int announce(const SearchBegun& begun) {
  say("Job <" + std::to_string(begun.reply.job.job) + "> is submitted to " +
      (begun.reply.default_queue ? "default " : "") + "queue <" + begun.reply.queue + ">.\n");
  complain("Search <" + begun.name + "> begins\n");
  for (const auto& warning : begun.reply.warnings) complain("bsearch: " + warning + "\n");
  return 0;
}

Result<int> start(client::Master& from, const Parsed& options, const std::string& path) {
  SearchStart start;
  WM_TRY(start.request, text_in(path));
  start.folder = options.first("-model-dir").value_or("");
  start.queue = options.first("q").value_or("");
  start.plan = options.first("plan").value_or("");
  start.plugin = options.first("plugin").value_or("");
  WM_TRY(auto conf, cluster_conf());
  WM_TRY(auto begun, start_search(from, conf, start));
  return announce(begun);
}

Result<int> extend(client::Master& from, const rest::SearchTask& task, const Parsed& options) {
  WM_TRY(auto trials, number_of(options, task.reserved));
  WM_TRY(auto conf, cluster_conf());
  WM_TRY(auto begun, extend_search(from, conf, task, trials));
  return announce(begun);
}

Result<int> done(const Result<void>& result, const rest::SearchTask& task, const char* what) {
  if (!result) return result.error();
  say("Search <" + task.name + "> " + what + "\n");
  return 0;
}

constexpr std::string_view kVerbs[] = {"start",   "list",   "show",   "best", "stop",
                                       "restart", "delete", "extend", "plot"};

Result<int> act(client::Master& from, const std::string& verb, const rest::SearchTask& task,
                const Parsed& options) {
  if (verb == "best") return best(task);
  if (verb == "stop") return done(hold_search(from, task, true), task, "is stopped");
  if (verb == "restart") return done(release_search(from, task), task, "goes on");
  if (verb == "delete") return forget(from, task);
  if (verb == "extend") return extend(from, task, options);
  if (verb == "plot") return plot(from, task, options);
  return show(from, task, options);
}

Result<int> run(const Parsed& options) {
  auto words = options.words;
  auto verb = words.empty() ? std::string() : words.front();
  WM_TRY(number_of(options, 0));
  if (verb == "list" && words.size() == 1) return list(options);
  bool named = std::ranges::count(kVerbs, verb) > 0 && words.size() == 2;
  if (!named) verb = "show";
  else words.erase(words.begin());
  if (words.size() != 1 || (!named && std::ranges::count(kVerbs, words.front())))
    return fail(Code::BadArgument, "a verb and one search are wanted, or list (bsearch -h)");
  WM_TRY(auto from, master());
  if (verb == "start") return start(from, options, words.front());
  WM_TRY(auto task, task_named(from, words.front()));
  return act(from, verb, task, options);
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({.name = "bsearch", .synopsis = kSynopsis, .options = kOptions}, argc, argv, run);
}
