#include "libwm/rest/search_task.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/model/elements.h"
#include "libwm/rest/exec_json.h"
#include "libwm/rest/exec_outcome.h"
#include "libwm/rest/json_text.h"
#include "libwm/rest/letters.h"

namespace wm::rest {
namespace {

Json parsed(const std::string& text) {
  auto json = json_or_null(text.empty() ? "{}" : text);
  return json.is_object() ? json : Json::object();
}

std::string text_at(const Json& json, const char* key) {
  auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_least(const Json& search) { return text_at(search, "goal") != "maximize"; }

// The best that a trial reported of the search's metric.
std::optional<double> value_of(const SearchTrial& trial, const Json& search) {
  auto report = parsed(trial.report);
  auto metric = report.find(text_at(search, "metric"));
  if (metric == report.end() || !metric->is_object()) return {};
  auto value = metric->find(is_least(search) ? "min" : "max");
  if (value == metric->end() || !value->is_number()) return {};
  double number = value->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string_view experiment_state(const SearchTrial& trial) {
  switch (trial.state) {
    case JobState::Finished: return "FINISHED";
    case JobState::Failed: return "FAILED";
    case JobState::Error: return "ERROR";
    case JobState::Killed: return trial.stopped ? "STOPPED" : "KILLED";
    case JobState::Running:
    case JobState::Unknown:
    case JobState::Suspended: return "RUNNING";
    case JobState::Held: return "NOTRUN";
    default: return trial.in_turn ? "SUBMITTED" : "NOTRUN";
  }
}

// "2020-01-09 17:32:03"
std::string plain_time(WallTime time) {
  auto text = iso_time(time);
  if (text.size() < 20) return "";
  text[10] = ' ';
  return text.substr(0, 19);
}

std::string clock_of(Duration duration) {
  auto s =
      std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(duration).count(), 0);
  auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return two(s / 3600) + ":" + two(s / 60 % 60) + ":" + two(s % 60);
}

Json metrics_of(const SearchTrial& trial) {
  Json list = Json::array();
  auto report = parsed(trial.report);
  for (const auto& [name, metric] : report.items()) {
    if (name == "step" || name == "steps" || !metric.is_object()) continue;
    Json row{{"name", name}};
    for (const char* key : {"min", "max", "latest"})
      row[key] = metric.contains(key) ? metric[key] : Json();
    list.push_back(std::move(row));
  }
  return list;
}

// The dataType of each parameter, in small letters; of what is none, as of the resource, str.
std::string type_of(const Json& search, const Json& experiment, const std::string& name) {
  for (const auto* list : {&search, &experiment}) {
    if (!list->is_array()) continue;
    for (const auto& param : *list)
      if (param.is_object() && text_at(param, "name") == name) {
        auto type = lowered(text_at(param, "dataType"));
        return type == "string" || type.empty() ? "str" : type;
      }
  }
  return "str";
}

// The experiment that was given for a trial, of a search that has a list of them.
Json given_for(const Json& search, std::size_t position) {
  auto list = search.find("experiments");
  bool there = list != search.end() && list->is_array() && position < list->size();
  return there ? (*list)[position] : Json::object();
}

Json params_of(const SearchTrial& trial, const Json& search, const Json& given) {
  Json list = Json::array();
  auto space = search.value("space", Json::array());
  auto own = given.is_object() ? given.value("hyperParams", Json::array()) : Json::array();
  auto config = parsed(trial.config);
  for (const auto& [name, value] : config.items()) {
    if (name == "wm_resume") continue;
    list.push_back({{"name", name},
                    {"dataType", type_of(space, own, name)},
                    {"fixedVal", value.is_string() ? value.get<std::string>() : wm::to_text(value)},
                    {"userDefined", false}});
  }
  return list;
}

Json experiment_of(const SearchTask& task, const Json& search, std::size_t position) {
  const auto& trial = task.trials[position];
  auto given = given_for(search, position);
  auto value = value_of(trial, search);
  bool own_id = given.is_object() && given.contains("id");
  return {{"id", own_id ? given["id"] : Json(position)},
          {"state", experiment_state(trial)},
          {"metricVal", value ? Json(*value) : Json()},
          {"metrics", metrics_of(trial)},
          {"maxiteration", 0},
          {"hyperParams", params_of(trial, search, given)},
          {"appId", trial.exec_id},
          {"driverId", trial.exec_id},
          {"startTime", plain_time(trial.started)},
          {"endTime", plain_time(trial.ended)}};
}

// Names that trials have reported numbers of.
std::string reported_names(const SearchTask& task) {
  std::set<std::string> names;
  for (const auto& trial : task.trials) {
    auto report = parsed(trial.report);
    for (const auto& [name, metric] : report.items())
      if (name != "step" && name != "steps" && metric.is_object()) names.insert(name);
  }
  return joined(std::vector<std::string>(names.begin(), names.end()), ", ");
}

// Its own words for the parts of a search, as clients gave them. @source wmla-surface 5.1
Json algorithm_of(const SearchTask& task, const Json& search) {
  auto at = [&](const char* key, Json otherwise) {
    return search.contains(key) ? search[key] : std::move(otherwise);
  };
  auto seconds = at("max_run_s", 0);
  return {{"algorithm", at("algorithm", "auto")},
          {"maxRunTime", seconds == 0 ? Json(-1) : Json(seconds.get<std::uint64_t>() / 60)},
          {"maxJobNum", at("max_trials", -1)},
          {"maxParalleJobNum", task.at_once},
          {"objectiveMetric", at("metric", "")},
          {"objective", at("goal", "minimize")},
          {"additionalMetrics", at("additional_metrics", Json::object())},
          {"algoParams", at("params", Json::array())}};
}

struct Counts {
  std::size_t live = 0, begun = 0, running = 0, complete = 0, failed = 0, over = 0, valid = 0;
  WallTime last{};
};

Counts counts_of(const SearchTask& task) {
  auto search = parsed(task.search);
  Counts n;
  for (const auto& trial : task.trials) {
    bool done = trial.state == JobState::Finished;
    n.live += !is_over(trial.state);
    n.begun += trial.started != WallTime{} || is_over(trial.state);
    n.running += experiment_state(trial) == "RUNNING";
    n.complete += done;
    n.over += is_over(trial.state);
    n.failed += trial.state == JobState::Failed || trial.state == JobState::Error;
    n.valid += done && value_of(trial, search);
    n.last = std::max(n.last, trial.ended);
  }
  return n;
}

std::size_t total_of(const SearchTask& task, const Json& search) {
  auto most = search.find("max_trials");
  if (!task.closed && most != search.end() && most->is_number_unsigned()) return *most;
  return task.trials.size();
}

WallTime end_of(const SearchTask& task, const Counts& n) {
  auto state = tuning_state(task);
  bool over = state == "FINISHED" || state == "FAILED" || state == "STOPPED";
  return over ? std::max(n.last, task.ended) : WallTime{};
}

SearchTrial trial_of(const JobView& view, std::string config) {
  const Job& job = *view.job;
  SearchTrial trial{view.id,           job.state,        view.exec_id,
                    std::move(config), job.trial.report, job.outcome.text};
  trial.started = job.times.started;
  trial.in_turn = std::ranges::none_of(
      view.reasons, [](const PendReason& r) { return r.code == PendCode::ArrayLimit; });
  if (trial.why.empty()) trial.why = error_of(job);
  trial.ended = job.times.ended;
  if (job.kill) {
    trial.stopped = job.kill->by == "wm" && job.kill->term == Term::Other;
    trial.why = job.kill->text;
  }
  return trial;
}

// The course of each metric is on the trial's own page.
Json standing_of(const SearchTrial& trial) {
  auto report = parsed(trial.report);
  for (auto& metric : report)
    if (metric.is_object()) metric.erase("course");
  return report;
}

Json trial_json(const SearchTrial& trial, const Json& search) {
  auto value = value_of(trial, search);
  return {{"index", trial.id.index},
          {"job", to_string(trial.id)},
          {"exec_id", trial.exec_id},
          {"state",
           trial.stopped && trial.state == JobState::Killed ? "stopped" : state_name(trial.state)},
          {"value", value ? Json(*value) : Json()},
          {"config", parsed(trial.config)},
          {"metrics", standing_of(trial)},
          {"start_time", epoch_seconds(trial.started)},
          {"finish_time", epoch_seconds(trial.ended)},
          {"why", trial.why}};
}

}  // namespace

SearchTask search_task(const std::vector<JobView>& views, const GiveReply& given) {
  SearchTask task;
  const Job& first = *views.front().job;
  const auto& spec = first.spec();
  task.job = {views.front().id.job, 0};
  task.name = spec.name;
  task.creator = spec.owner.user;
  task.bundle = spec.exec.bundle;
  task.search = spec.exec.search;
  task.submitted = first.times.submitted;
  task.reserved = element_count(spec);
  task.at_once = spec.array_limit;
  bool more = false;  // the array itself is listed as long as it takes more
  for (const auto& view : views) {
    task.submitted = std::min(task.submitted, view.job->times.submitted);
    if (view.id.index != 0) {
      auto at = view.id.index - 1;
      task.trials.push_back(trial_of(view, at < given.data.size() ? given.data[at] : ""));
      continue;
    }
    more = true;
    task.held = view.job->state == JobState::Held;
    task.killed = view.job->kill.has_value();
    if (view.job->kill) task.ended = view.job->kill->at;
    if (!task.held && !view.reasons.empty()) task.waits = view.reasons.front().text;
  }
  // `given` may be newer than the views: what was given meanwhile is not among them yet.
  task.closed = (given.closed && !more) || task.trials.size() >= task.reserved;
  task.killed = task.killed || (!more && !task.closed);
  return task;
}

std::string optimizer_name(JobId search) { return "optimizer-of-" + std::to_string(search.job); }

bool has_plugin(const SearchTask& task) { return parsed(task.search).contains("plugin"); }

void add_optimizer(SearchTask& task, const JobView* optimizer, std::string_view said) {
  task.waits.clear();
  if (!optimizer) {
    if (task.closed) return;
    task.lost = true;
    task.waits = "its optimizer's job is gone";
    return;
  }
  auto state = optimizer->job->state;
  auto name = "its optimizer, job " + to_string(optimizer->id) + ", ";
  if (state == JobState::Finished) return;
  if (is_over(state)) {
    task.lost = true;
    while (said.ends_with('\n')) said.remove_suffix(1);
    said.remove_prefix(said.rfind('\n') == said.npos ? 0 : said.rfind('\n') + 1);
    task.waits = name + (state == JobState::Killed ? "was ended" : "has failed") +
                 (said.empty() ? "" : ": " + std::string(said.substr(0, 300)));
    return;
  }
  bool begins = state == JobState::Pending || state == JobState::Launching;
  if (begins && !task.closed) task.waits = name + "waits for a slot";
}

std::string_view tuning_state(const SearchTask& task) {
  auto n = counts_of(task);
  if (task.killed) return "STOPPED";
  if (n.live > 0) return n.begun > 0 ? "RUNNING" : task.held ? "STOPPED" : "SUBMITTED";
  if (task.lost) return "FAILED";
  if (task.held && !task.closed) return "STOPPED";
  if (!task.closed) return n.begun > 0 ? "RUNNING" : "SUBMITTED";
  return n.valid > 0 ? "FINISHED" : "FAILED";
}

std::string reason_of(const SearchTask& task) {
  if (!task.waits.empty()) return task.waits;
  auto search = parsed(task.search);
  auto n = counts_of(task);
  if (n.complete > 0 && n.valid == 0) {
    auto names = reported_names(task);
    return "no trial reported the metric '" + text_at(search, "metric") + "'" +
           (names.empty() ? ", nor any other" : "; the metrics that were reported: " + names);
  }
  if (tuning_state(task) != "FAILED") return "";
  if (task.trials.empty()) return "it was closed before it had a trial";
  std::string why;
  for (const auto& trial : task.trials)
    if (!trial.why.empty()) why = trial.why;
  return "none of its " + std::to_string(task.trials.size()) + " trials finished" +
         (why.empty() ? "" : "; the last: " + why);
}

std::optional<std::size_t> best_trial(const SearchTask& task) {
  auto search = parsed(task.search);
  bool least = is_least(search);
  std::optional<std::size_t> best;
  double reached = 0;
  for (std::size_t i = 0; i < task.trials.size(); ++i) {
    auto value = value_of(task.trials[i], search);
    if (task.trials[i].state != JobState::Finished || !value) continue;
    if (best && (least ? *value >= reached : *value <= reached)) continue;
    best = i;
    reached = *value;
  }
  return best;
}

std::string tuning_json(const SearchTask& task, WallTime now) {
  auto search = parsed(task.search);
  auto n = counts_of(task);
  auto end = end_of(task, n);
  Json experiments = Json::array();
  for (std::size_t i = 0; i < task.trials.size(); ++i)
    experiments.push_back(experiment_of(task, search, i));
  auto best = best_trial(task);
  Json json{{"hpoName", task.name},
            {"state", tuning_state(task)},
            {"progress", std::to_string(n.over) + "/" + std::to_string(total_of(task, search))},
            {"running", n.running},
            {"complete", n.complete},
            {"failed", n.failed},
            {"createtime", plain_time(task.submitted)},
            {"creator", task.creator},
            {"duration", clock_of((end == WallTime{} ? now : end) - task.submitted)},
            {"reason", reason_of(task)},
            {"paused", task.held},
            {"algoDef", algorithm_of(task, search)},
            {"hyperParams", search.value("space", Json::array())},
            {"experiments", std::move(experiments)},
            {"best", Json()}};
  if (best) json["best"] = json["experiments"][*best];
  return wm::to_text(json);
}

std::string search_json(const SearchTask& task, bool whole) {
  auto search = parsed(task.search);
  auto n = counts_of(task);
  auto best = best_trial(task);
  Json trials = Json::array();
  for (const auto& trial : task.trials)
    if (whole) trials.push_back(trial_json(trial, search));
  Json json{{"job", task.job.job},
            {"name", task.name},
            {"user", task.creator},
            {"state", lowered(std::string(tuning_state(task)))},
            {"paused", task.held},
            {"reason", reason_of(task)},
            {"submit_time", epoch_seconds(task.submitted)},
            {"finish_time", epoch_seconds(end_of(task, n))},
            {"parallel", task.at_once},
            {"reserved", task.reserved},
            {"total", total_of(task, search)},
            {"given", task.trials.size()},
            {"closed", task.closed},
            {"running", n.running},
            {"finished", n.complete},
            {"failed", n.failed},
            {"over", n.over},
            {"best", best ? trial_json(task.trials[*best], search) : Json()},
            {"search", std::move(search)}};
  if (whole) json["trials"] = std::move(trials);
  return wm::to_text(json);
}

}  // namespace wm::rest
