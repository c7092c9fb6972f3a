#include "libwm/replay/alone.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wm::replay {

double Alone::time_on(const JobRun& job, double units) {
  const TraceJob& trace = *job.trace;
  bool reports = trace.work->limits().initial > 0 && !trace.program.empty();
  if (!reports) return known(job, units);
  std::uint32_t most = std::min(setup_.units(), trace.elastic() ? trace.max_tasks : trace.tasks);
  double part = std::clamp<double>(units, 1, most);
  auto whole = static_cast<std::uint32_t>(part);
  double time = time_on_whole(job, whole);
  if (part > whole) time += (part - whole) * (time_on_whole(job, whole + 1) - time);
  return units < 1 ? time / units : time;
}

double Alone::known(const JobRun& job, double units) const {
  const TraceJob& trace = *job.trace;
  std::uint32_t most = trace.elastic() ? trace.max_tasks : trace.tasks;
  double share = std::clamp<double>(units, 1, most);
  auto whole = static_cast<std::uint32_t>(share);
  double time = computed(job, whole) - options_.resize_cost_s;
  double next = computed(job, std::min(whole + 1, most)) - options_.resize_cost_s;
  double part = share - whole;
  return options_.resize_cost_s + 1 / ((1 - part) / time + part / next);
}

double Alone::time_on_whole(const JobRun& job, std::uint32_t units) {
  const TraceJob& trace = *job.trace;
  Key key{trace.program, trace.tasks, trace.min_tasks, trace.max_tasks, units};
  auto [it, is_new] = known_.try_emplace(key);
  if (is_new) it->second = simulated(job, units);
  return it->second;
}

double Alone::simulated(const JobRun& job, std::uint32_t units) const {
  TraceJob trace = *job.trace;
  trace.submit_s = 0;
  trace.tasks = std::min(trace.tasks, units);
  trace.min_tasks = std::min(trace.min_tasks, units);
  trace.max_tasks = std::min(trace.max_tasks, units);
  Setup setup = setup_;
  setup.hosts = (units + setup.units_per_host() - 1) / setup.units_per_host();
  Options options = options_;
  // The same lone runs, so that it can be compared with fairshare.
  if (options.policy == Policy::Ideal) options.policy = Policy::Fairshare;
  options.stopwatch = {};
  options.progress = {};
  auto outcome = simulate({{trace}}, setup, options);
  return outcome ? outcome->jobs.front().end_s : computed(job, units);
}

// A job that does not report is as fast as its work says: it has its best size from the start.
double Alone::computed(const JobRun& job, std::uint32_t units) const {
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t tasks = 1; tasks <= units; ++tasks) {
    double time = job.trace->work->left_s(0, packed(tasks, setup_.units_per_host()), job.batch);
    best = std::min(best, time);
  }
  return options_.resize_cost_s + best;
}

}  // namespace wm::replay
