// bsearch: how searches stand: which there are, the best trial of one, and every trial with what it
// tried and reached.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "commands/common/command.h"
#include "commands/common/job_names.h"
#include "libwm/model/elements.h"
#include "libwm/rest/search_task.h"

namespace wm::cmd {
namespace {

using Json = nlohmann::json;
using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"n", Kind::Number, "trials", "So many of the best are shown; 20 unless said"},
    {"json", Kind::Flag, "", "Everything, as JSON"},
};

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

// What its elements were given, all of it.
Result<GiveReply> given_to(client::Master& from, JobId job) {
  GiveReply whole;
  do {
    GiveRequest request{.job = job};
    request.tell_from = static_cast<std::uint32_t>(whole.data.size()) + 1;
    WM_TRY(auto reply, from.give(request));
    whole.given = reply.given;
    whole.closed = reply.closed;
    if (reply.data.empty()) break;
    whole.data.insert(whole.data.end(), reply.data.begin(), reply.data.end());
  } while (whole.data.size() < whole.given);
  return whole;
}

// The best that it reported: the least, or the greatest.
double value_of(const Json& metrics, const Json& search) {
  auto metric = metrics.find(search.value("metric", std::string()));
  if (metric == metrics.end()) return NAN;
  bool least = search.value("goal", std::string("minimize")) != "maximize";
  return metric->value(least ? "min" : "max", std::nan(""));
}

Trial trial_of(const JobView& view, const std::string& config, const Json& search) {
  Trial trial{view.id, std::string(state_name(view.job->state)),
              Json::parse(config, nullptr, false), Json::object(), NAN};
  auto metrics = Json::parse(view.job->trial.report, nullptr, false);
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
  WM_TRY(auto reply, from.jobs(request));
  for (const auto& view : reply.jobs) {
    const JobSpec& spec = view.job->sealed->spec;
    if (told.search.is_null()) {
      told.search = Json::parse(spec.exec.search, nullptr, false);
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
            (value.is_string() ? value.get<std::string>() : value.dump());
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
  say(all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

WallTime now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

// The caller's searches, the newest first; of `ids` those, where there are some.
Result<std::vector<rest::SearchTask>> tasks_of(client::Master& from, std::vector<JobId> ids) {
  JobsRequest request;
  request.jobs.ids = std::move(ids);
  request.jobs.finished = true;
  WM_TRY(auto reply, from.jobs(request));
  std::map<std::uint32_t, std::vector<JobView>> by_job;
  for (auto& view : reply.jobs)
    if (!view.job->spec().exec.search.empty()) by_job[view.id.job].push_back(std::move(view));
  std::vector<rest::SearchTask> tasks;
  for (auto at = by_job.rbegin(); at != by_job.rend(); ++at) {
    WM_TRY(auto given, given_to(from, {at->first, 0}));
    tasks.push_back(rest::search_task(at->second, given));
  }
  return tasks;
}

void print_list(const std::vector<rest::SearchTask>& tasks) {
  say("JOBID    STATE      TRIALS     BEST         NAME\n");
  for (const auto& task : tasks) {
    auto json = Json::parse(rest::tuning_json(task, now()));
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
  WM_TRY(auto tasks, tasks_of(from, {}));
  if (!options.has("json")) {
    print_list(tasks);
    return 0;
  }
  Json all = Json::array();
  for (const auto& task : tasks) all.push_back(Json::parse(rest::tuning_json(task, now())));
  say(all.dump(1) + "\n");
  return 0;
}

// The best experiment, as REST has it.
Result<int> best(JobId job) {
  WM_TRY(auto from, master());
  WM_TRY(auto tasks, tasks_of(from, {job}));
  if (tasks.empty()) return fail(Code::Conflict, "Job <" + to_string(job) + ">: is no search");
  say(Json::parse(rest::tuning_json(tasks.front(), now()))["best"].dump(1) + "\n");
  return 0;
}

Result<int> run(const Parsed& given) {
  Parsed options = given;
  auto verb = options.words.empty() ? "" : options.words.front();
  if (verb == "list" && options.words.size() == 1) return list(options);
  bool named = verb == "show" || verb == "best";
  if (named) options.words.erase(options.words.begin());
  if (options.words.size() != 1) return fail(Code::BadArgument, "one job ID is wanted, or list");
  WM_TRY(auto ids, parse_job_ids(options.words));
  if (verb == "best") return best({ids.at(0).job, 0});
  std::size_t most = 20;
  if (auto n = options.first("n")) {
    most = std::strtoul(n->c_str(), nullptr, 10);
    if (most == 0) return fail(Code::BadArgument, "-n " + *n + ": a number from 1 is wanted");
  }
  WM_TRY(auto from, master());
  WM_TRY(auto told, ask(from, {ids.at(0).job, 0}));
  rank(told);
  if (options.has("json")) print_json(ids[0], told);
  else print_table(ids[0], told, most);
  return 0;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({.name = "bsearch",
                  .synopsis = "bsearch [-json] [-n trials] [show | best] job_id | list",
                  .options = kOptions},
                 argc, argv, run);
}
