// The live state of a cluster as `badmin snapshot` saves it: its hosts, what runs on them, what
// waits. What runs has what is left of its run limit; who states none counts as one of an hour.
#include <algorithm>

#include "libwm/codec/codec.h"
#include "libwm/model/cluster.h"
#include "libwm/replay/read.h"

namespace wm::replay {
namespace {

constexpr double kUnstated = 3600, kLeast = 1;  // seconds
// Those that wait come so long after those that run, which have their places already.
constexpr double kAfter = 1;

double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

// GPUs per host are divided among the tasks there.
std::uint32_t milli_gpus_of(const JobSpec& spec) {
  if (!spec.task.gpus_per_host) return spec.task.milli_gpus;
  std::uint32_t there = spec.span.ptile ? spec.span.ptile : std::max(1u, spec.min_tasks);
  return std::max(1u, spec.task.milli_gpus / there);
}

class Snapshot {
 public:
  explicit Snapshot(const Cluster& live) : live_(live) {}
  Saved read();

 private:
  void add_host(const Host& host);
  void add(const Job& job, std::uint32_t copies);
  TraceJob like(const Job& job) const;
  double left_of(const Job& job) const;

  const Cluster& live_;
  Saved saved_;
};

double Snapshot::left_of(const Job& job) const {
  double limit = seconds(run_limit_of(*live_.config, job.spec()));
  if (limit <= 0) limit = kUnstated;
  if (slots_held(job) == 0) return limit;
  Duration ran =
      live_.time - std::max(job.times.started, job.times.dispatched) - job.suspension.earlier;
  return std::max(kLeast, limit - seconds(ran));
}

TraceJob Snapshot::like(const Job& job) const {
  const JobSpec& spec = job.spec();
  TraceJob trace;
  trace.name = to_string(job.id);
  trace.user = spec.owner.user;
  trace.queue = spec.queue;
  trace.plan = spec.plan;
  trace.min_tasks = std::max(1u, spec.min_tasks);
  trace.max_tasks = spec.elastic ? std::max(trace.min_tasks, task_cap(job)) : trace.min_tasks;
  bool runs = slots_held(job) > 0;
  trace.tasks = runs ? std::max(1u, tasks_wanted(job)) : trace.min_tasks;
  trace.submit_s = runs ? 0 : kAfter;
  trace.milli_cpus = spec.task.milli_cpus;
  trace.mem = spec.task.mem.value;
  trace.milli_gpus = milli_gpus_of(spec);
  trace.estimate_s = left_of(job);
  trace.work = linear_work(trace.estimate_s, trace.tasks);
  return trace;
}

void Snapshot::add(const Job& job, std::uint32_t copies) {
  TraceJob trace = like(job);
  for (std::uint32_t i = 0; i < copies; ++i) saved_.workload.jobs.push_back(trace);
}

void Snapshot::add_host(const Host& host) {
  if (!is_open(host)) return;
  auto gpus = static_cast<std::uint32_t>(host.capacity.gpus.size());
  Setup& setup = saved_.setup;
  setup.each.push_back({gpus, host.capacity.slots});
  setup.hosts = static_cast<std::uint32_t>(setup.each.size());
  setup.gpus_per_host = std::max(setup.gpus_per_host, gpus);
  setup.cpus_per_host = std::max(setup.cpus_per_host, host.capacity.slots);
}

Saved Snapshot::read() {
  saved_.setup = {0, 0, 0, {}};
  live_.hosts.each([&](std::uint32_t, const Host& host) { add_host(host); });
  each_job(live_, [&](const Job& job) {
    bool waits = job.state == JobState::Pending;
    if (waits || (slots_held(job) > 0 && !is_over(job.state))) add(job, 1);
  });
  live_.jobs.each([&](std::uint32_t, const Job& base) {
    if (base.state != JobState::Array || base.kill) return;
    std::uint32_t unmade = 0;
    for (std::uint32_t p = base.elements.next_position; p < element_count(base.spec()); ++p)
      unmade += live_.elements.find(base.elements.first + p) == nullptr;
    add(base, unmade);
  });
  auto& jobs = saved_.workload.jobs;
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_s < b.submit_s; });
  saved_.config = live_.config;
  return std::move(saved_);
}

}  // namespace

Result<Saved> read_snapshot(std::string_view bytes) {
  auto live = codec::decode<Cluster>(std::string(bytes));
  if (!live) return live.error().within("a saved state");
  Saved saved = Snapshot(*live).read();
  if (saved.setup.hosts == 0) return fail(Code::BadArgument, "the state holds no open host");
  if (saved.workload.jobs.empty())
    return fail(Code::BadArgument, "the state holds no job that runs or waits");
  return saved;
}

}  // namespace wm::replay
