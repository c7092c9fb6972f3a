// bsearch: how a search stands: its best trial, and every trial with what it tried and reached.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands/common/command.h"
#include "commands/common/job_names.h"
#include "libwm/model/elements.h"

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

Result<std::vector<std::string>> configs_of(client::Master& from, JobId job, Told& told) {
  std::vector<std::string> all;
  do {
    GiveRequest request{.job = job};
    request.tell_from = static_cast<std::uint32_t>(all.size()) + 1;
    WM_TRY(auto reply, from.give(request));
    told.given = reply.given;
    told.closed = reply.closed;
    if (reply.data.empty()) break;
    all.insert(all.end(), reply.data.begin(), reply.data.end());
  } while (all.size() < told.given);
  return all;
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
  WM_TRY(auto configs, configs_of(from, job, told));
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

Result<int> run(const Parsed& options) {
  if (options.words.size() != 1) return fail(Code::BadArgument, "one job ID is wanted");
  WM_TRY(auto ids, parse_job_ids(options.words));
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
  return main_of(
      {.name = "bsearch", .synopsis = "bsearch [-json] [-n trials] job_id", .options = kOptions},
      argc, argv, run);
}
