#include "libwm/replay/report.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"

namespace wm::replay {
namespace {

// Six digits behind the point: what is beyond is noise of the arithmetic.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

struct Row {
  const char* key;
  const char* text;
  double Metrics::*value;
};

constexpr Row kRows[] = {
    {"avg_jct_s", "mean time from submission to end [s]", &Metrics::avg_jct_s},
    {"p50_jct_s", "  half of the jobs within [s]", &Metrics::p50_jct_s},
    {"p99_jct_s", "  99 % of the jobs within [s]", &Metrics::p99_jct_s},
    {"avg_wait_s", "mean wait for the start [s]", &Metrics::avg_wait_s},
    {"bounded_slowdown", "mean bounded slowdown", &Metrics::bounded_slowdown},
    {"makespan_s", "first submission to last end [s]", &Metrics::makespan_s},
    {"utilisation", "part of the cluster in use", &Metrics::utilisation},
    {"ftf_worst", "finish-time fairness, worst job", &Metrics::ftf_worst},
    {"ftf_unfair_fraction", "  part of the jobs beyond 1", &Metrics::ftf_unfair_fraction},
    {"ftf_known_worst", "  worst, had it known its best size alone", &Metrics::ftf_known_worst},
    {"ftf_known_unfair_fraction", "  part beyond 1, likewise", &Metrics::ftf_known_unfair_fraction},
    {"resizes_per_job", "resizes per job", &Metrics::resizes_per_job},
    {"service_missed", "part of services' wishes not met", &Metrics::service_missed},
    {"pass_p50_ms", "scheduling pass, half within [ms]", &Metrics::pass_p50_ms},
    {"pass_p99_ms", "  99 % within [ms]", &Metrics::pass_p99_ms},
};

Json record_of(const JobRun& job, double fairness) {
  const TraceJob& trace = *job.trace;
  return {{"name", trace.name},
          {"user", trace.user},
          {"tasks", trace.tasks},
          {"min_tasks", trace.min_tasks},
          {"max_tasks", trace.max_tasks},
          {"submit_s", rounded(trace.submit_s)},
          {"start_s", rounded(job.start_s)},
          {"end_s", rounded(job.end_s)},
          {"jct_s", rounded(job.end_s - trace.submit_s)},
          {"wait_s", rounded(job.start_s - trace.submit_s)},
          {"task_s", rounded(job.attained)},
          {"paused_s", rounded(job.paused_s)},
          {"resizes", job.resizes},
          {"ftf", rounded(fairness)}};
}

}  // namespace

std::string to_json(const Outcome& outcome, const Setup& setup, const Options& options,
                    double max_rss_mb) {
  Metrics metrics = metrics_of(outcome, setup, options);
  std::vector<double> fairness = finish_time_fairness(outcome, setup, options);
  Json json;
  for (const Row& row : kRows) json[row.key] = rounded(metrics.*row.value);
  json["max_rss_mb"] = rounded(max_rss_mb);
  Json jobs = Json::array();
  for (std::size_t i = 0; i < outcome.jobs.size(); ++i) {
    jobs.push_back(record_of(outcome.jobs[i], fairness[i]));
  }
  json["jobs"] = std::move(jobs);
  return to_text(json, 1) + "\n";
}

std::string to_table(const Outcome& outcome, const Setup& setup, const Options& options) {
  Metrics metrics = metrics_of(outcome, setup, options);
  char line[128];
  std::snprintf(line, sizeof line, "%zu jobs on %u hosts x %u\n", outcome.jobs.size(), setup.hosts,
                setup.units_per_host());
  std::string text = line;
  for (const Row& row : kRows) {
    std::snprintf(line, sizeof line, "%-48s %20.3f\n", row.text, metrics.*row.value);
    text += line;
  }
  return text;
}

}  // namespace wm::replay
