#include "libwm/replay/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "libwm/replay/alone.h"

namespace wm::replay {
namespace {

// @source bounded slowdown: Feitelson et al., Theory and Practice in Parallel Job Scheduling, 1997
constexpr double kShortJob = 10;

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Jobs in the system over time, as an integral that can be asked at any instant.
class Crowd {
 public:
  explicit Crowd(const std::vector<JobRun>& jobs) {
    std::vector<std::pair<double, int>> steps;
    for (const JobRun& job : jobs) {
      steps.push_back({job.trace->submit_s, 1});
      steps.push_back({job.end_s, -1});
    }
    std::sort(steps.begin(), steps.end());
    double area = 0, last = steps.empty() ? 0 : steps.front().first;
    int count = 0;
    for (auto [at, change] : steps) {
      area += count * (at - last);
      last = at;
      count += change;
      points_.push_back({at, area, count});
    }
  }

  double mean_between(double from, double to) const {
    return to > from ? (area(to) - area(from)) / (to - from) : 1;
  }

 private:
  struct Point {
    double at, area;
    int count;  // from here on
  };
  double area(double at) const {
    auto above = std::upper_bound(points_.begin(), points_.end(), at,
                                  [](double t, const Point& p) { return t < p.at; });
    if (above == points_.begin()) return 0;
    const Point& p = *std::prev(above);
    return p.area + p.count * (at - p.at);
  }
  std::vector<Point> points_;
};

std::pair<double, double> worst_and_unfair(const std::vector<double>& fairness) {
  constexpr double kFair = 1 + 1e-6;  // times are rounded, to a microsecond
  auto beyond = std::count_if(fairness.begin(), fairness.end(), [](double f) { return f > kFair; });
  return {*std::max_element(fairness.begin(), fairness.end()),
          static_cast<double>(beyond) / static_cast<double>(fairness.size())};
}

}  // namespace

std::vector<double> finish_time_fairness(const Outcome& outcome, const Setup& setup,
                                         const Options& options, LoneRun lone) {
  Crowd crowd(outcome.jobs);
  Alone alone(setup, options);
  std::vector<double> fairness;
  for (const JobRun& job : outcome.jobs) {
    double from = job.trace->submit_s, n = std::max(1.0, crowd.mean_between(from, job.end_s));
    double part = setup.units() / n / std::max(1u, setup.units_of(*job.trace));
    double time = lone == LoneRun::Known ? alone.known(job, part) : alone.time_on(job, part);
    fairness.push_back((job.end_s - from) / time);
  }
  return fairness;
}

Metrics metrics_of(const Outcome& outcome, const Setup& setup, const Options& options) {
  Metrics m;
  std::vector<double> jcts, waits, slowdowns, resizes, paused, passes;
  double first = std::numeric_limits<double>::infinity(), last = 0, held = 0;
  for (const JobRun& job : outcome.jobs) {
    double submit = job.trace->submit_s, jct = job.end_s - submit;
    // What it would take by itself at the size it asked for.
    double run =
        job.trace->work->left_s(0, packed(job.trace->tasks, setup.units_per_host()), job.batch);
    jcts.push_back(jct);
    waits.push_back(job.start_s - submit);
    slowdowns.push_back(std::max(1.0, jct / std::max(kShortJob, run)));
    resizes.push_back(job.resizes);
    paused.push_back(job.paused_s);
    first = std::min(first, submit), last = std::max(last, job.end_s);
    held += job.attained * setup.units_of(*job.trace);
  }
  double wished = 0, missed = 0;
  for (const JobRun& service : outcome.services) {
    held += service.attained * setup.units_of(*service.trace);
    wished += service.wished_s, missed += service.missed_s;
  }
  m.service_missed = wished > 0 ? missed / wished : 0;
  std::tie(m.ftf_worst, m.ftf_unfair_fraction) =
      worst_and_unfair(finish_time_fairness(outcome, setup, options));
  std::tie(m.ftf_known_worst, m.ftf_known_unfair_fraction) =
      worst_and_unfair(finish_time_fairness(outcome, setup, options, LoneRun::Known));
  m.avg_jct_s = mean(jcts), m.p50_jct_s = quantile(jcts, 0.5), m.p99_jct_s = quantile(jcts, 0.99);
  m.avg_wait_s = mean(waits), m.bounded_slowdown = mean(slowdowns);
  m.makespan_s = last - first, m.utilisation = held / (setup.units() * m.makespan_s);
  m.resizes_per_job = mean(resizes), m.paused_s = mean(paused);
  m.pass_p50_ms = 1e3 * quantile(outcome.pass_s, 0.5);
  m.pass_p99_ms = 1e3 * quantile(outcome.pass_s, 0.99);
  return m;
}

}  // namespace wm::replay
