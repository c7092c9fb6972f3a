// Role: how long a scheduling pass takes: 4 hosts and 10 pending jobs, 1,000 hosts and 10,000,
// 10,000 hosts and 100,000. "full": every slot is taken and nothing can start, the usual
// state of a busy cluster; "start": the cluster is empty, and what one start of these costs. Also
// admit and bplans.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "libwm/sched/admit.h"
#include "libwm/sched/plan_view.h"
#include "libwm/sched/schedule.h"
#include "test/bench/config.h"

namespace wm {
namespace {

constexpr std::uint32_t kSlots = 4;

void add_hosts(Cluster& cluster, std::uint32_t count) {
  for (std::uint32_t n = 1; n <= count; ++n) {
    Host host;
    host.id = HostId{n};
    host.name = "h" + std::to_string(n);
    host.capacity = {kSlots, kSlots * 1000, Bytes{std::int64_t{64} << 30}, {{}, {}}};
    host.gpu_owners.resize(2);
    cluster.hosts.set(n, host);
  }
}

// A kind of job for each tenth: users, plans, sizes, GPUs and memory differ.
JobSpec spec_of(std::uint32_t number) {
  JobSpec spec;
  std::uint32_t kind = number % 10;
  spec.owner.user = "user" + std::to_string(number % 37);
  spec.queue = kind == 0 ? "high" : "normal";
  spec.plan = kind < 3 ? "/a" : kind < 6 ? "/a/x" : "/b";
  spec.app = "training";
  spec.min_tasks = spec.max_tasks = 1 + kind % 3;
  if (kind % 2) spec.task.milli_gpus = 1000;
  if (kind == 8) spec.elastic = true, spec.max_tasks = 8;
  spec.task.mem = Bytes{std::int64_t{kind} << 30};
  return spec;
}

void add_job(Cluster& cluster, std::uint32_t number) {
  Job job;
  job.id = {number, 0};
  job.sealed = std::make_shared<const SealedSpec>(SealedSpec{spec_of(number), "", "", ""});
  cluster.jobs.set(number, job);
}

Cluster cluster_of(std::uint32_t hosts, std::uint32_t jobs) {
  Cluster cluster;
  cluster.config = config();
  add_hosts(cluster, hosts);
  for (std::uint32_t n = 1; n <= jobs; ++n) add_job(cluster, n);
  return cluster;
}

// One rigid running job on every slot of every host.
void fill_up(Cluster& cluster, std::uint32_t hosts, std::uint32_t first) {
  for (std::uint32_t n = 1; n <= hosts; ++n) {
    add_job(cluster, first + n);
    Job& job = cluster.jobs.edit(first + n);
    job.state = JobState::Running;
    Host& host = cluster.hosts.edit(n);
    for (std::uint32_t s = 0; s < kSlots; ++s) {
      Task task{TaskNumber{s + 1}, HostId{n}};
      task.state = TaskState::Running;
      job.tasks.push_back(task);
    }
    host.used_slots = kSlots;
    host.used_milli_cpus = kSlots * 1000;
    for (auto& owner : host.gpu_owners) owner = {job.id, TaskNumber{1}};
  }
}

void time_passes(benchmark::State& state, std::uint32_t hosts, bool full) {
  std::uint32_t jobs = hosts < 10 ? 10 : hosts * 10;
  Cluster cluster = cluster_of(hosts, jobs);
  if (full) fill_up(cluster, hosts, jobs);
  for (auto _ : state) {
    auto plan = sched::schedule(cluster, {}, WallTime{});
    benchmark::DoNotOptimize(plan);
  }
}

// What a start costs in a pass that starts as many as there is room for.
void time_starts(benchmark::State& state, std::uint32_t hosts) {
  Cluster cluster = cluster_of(hosts, hosts * 10);
  std::size_t starts = 0;
  std::chrono::steady_clock::duration spent{};
  for (auto _ : state) {
    auto began = std::chrono::steady_clock::now();
    auto plan = sched::schedule(cluster, {}, WallTime{});
    spent += std::chrono::steady_clock::now() - began;
    starts += plan.starts.size();
  }
  state.counters["value"] = std::chrono::duration<double, std::micro>(spent).count() /
                            static_cast<double>(std::max<std::size_t>(1, starts));
  state.SetLabel("us");
}

void time_admit(benchmark::State& state) {
  Cluster cluster = cluster_of(1000, 10000);
  auto plan = sched::schedule(cluster, {}, WallTime{});
  for (auto _ : state) benchmark::DoNotOptimize(sched::admit(cluster, plan));
}

void time_view(benchmark::State& state) {
  Cluster cluster = cluster_of(1000, 10000);
  for (auto _ : state) benchmark::DoNotOptimize(sched::view_plans(cluster, WallTime{}));
}

constexpr auto kMicroseconds = benchmark::kMicrosecond;
BENCHMARK_CAPTURE(time_passes, s, 4, false)
    ->Name("sched_pass_4_hosts_start_us")
    ->Unit(kMicroseconds);
BENCHMARK_CAPTURE(time_passes, s, 4, true)->Name("sched_pass_4_hosts_full_us")->Unit(kMicroseconds);
BENCHMARK_CAPTURE(time_passes, s, 1000, false)
    ->Name("sched_pass_1k_hosts_start_us")
    ->Unit(kMicroseconds);
BENCHMARK_CAPTURE(time_passes, s, 1000, true)
    ->Name("sched_pass_1k_hosts_full_us")
    ->Unit(kMicroseconds);
BENCHMARK_CAPTURE(time_passes, s, 10000, true)
    ->Name("sched_pass_10k_hosts_full_us")
    ->Unit(kMicroseconds);
BENCHMARK_CAPTURE(time_starts, s, 1000)->Name("sched_start_1k_hosts_us_per_job");
BENCHMARK(time_admit)->Name("sched_admit_1k_hosts_us")->Unit(kMicroseconds);
BENCHMARK(time_view)->Name("sched_view_plans_1k_hosts_us")->Unit(kMicroseconds);

}  // namespace
}  // namespace wm

BENCHMARK_MAIN();
