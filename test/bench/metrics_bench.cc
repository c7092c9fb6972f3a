// Role: what one answer to monitoring costs a worker of a large cluster's master. `name value
// unit`.
//   metrics_10k_hosts_100k_jobs_ms      the text of GET /metrics (median)
//   metrics_10k_hosts_100k_jobs_kb      its size
//   metrics_loop_held_us                what the loop does for it: a copy of what was counted
//   (most)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "daemons/wmasterd/acct/metrics.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t kJobs = 100'000, kHosts = 10'000, kRunning = 40'000, kTimes = 11;

/// Hosts of eight slots, of which half are in use.
Cluster large() {
  test::ClusterBuilder builder;
  Cluster state = std::move(builder.state);
  std::uint64_t seq = state.seq.value;
  auto apply = [&](EventBody body) {
    fsm::apply(state, {Seq{++seq}, test::at(static_cast<double>(seq) * 1e-3), std::move(body)});
  };
  Capacity capacity{8, 8000, Bytes{std::int64_t{64} << 30}, {}};
  for (std::uint32_t i = 0; i < 4; ++i)
    capacity.gpus.push_back({"gpu" + std::to_string(i), "H100", Bytes{80LL << 30}});
  for (std::uint32_t n = 1; n <= kHosts; ++n)
    apply(HostRegistered{HostId{n}, "h" + std::to_string(n), "127.0.0.1", "boot", "LINUX", "x86",
                         capacity});
  for (std::uint32_t n = 1; n <= kJobs; ++n) {
    test::SpecBuilder spec;
    spec.user("user" + std::to_string(n % 37), 1000 + n % 37);
    apply(JobSubmitted{JobId{n, 0}, spec.sealed()});
    if (n > kRunning) continue;
    Task task;
    task.number = TaskNumber{1}, task.host = HostId{1 + n % kHosts};
    apply(JobDispatched{JobId{n, 0}, Attempt{1}, {task}, std::string(32, 'k')});
    apply(TaskStarted{JobId{n, 0}, Attempt{1}, task.number, 100});
  }
  return state;
}

/// Of 50 queues, as many outcomes and terms as there may be.
master::Counters counted() {
  master::Counters counters;
  for (int q = 0; q < 50; ++q) {
    auto queue = "queue" + std::to_string(q);
    counters.dispatches[queue] = 1, counters.waits[queue].add(5);
    for (const char* outcome : {"finished", "failed", "killed", "error", "lost"})
      counters.ends[{queue, outcome}] = 1;
  }
  for (int term = 0; term < 30; ++term) counters.lost["TERM_" + std::to_string(term)] = 1;
  return counters;
}

double loop_held_us() {
  auto counters = counted();
  double most = 0;
  for (int i = 0; i < 101; ++i) {
    auto began = Clock::now();
    auto copy = counters;
    auto us = std::chrono::duration<double, std::micro>(Clock::now() - began).count();
    if (copy.dispatches.size() == 50) most = std::max(most, us);
  }
  return most;
}

void run() {
  auto state = large();
  std::vector<double> ms;
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < kTimes; ++i) {
    auto began = Clock::now();
    bytes = master::metrics_text(state, counted(), {}, false).size();
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - began).count());
  }
  std::sort(ms.begin(), ms.end());
  std::printf("metrics_10k_hosts_100k_jobs_ms %.4g ms\n", ms[ms.size() / 2]);
  std::printf("metrics_loop_held_us %.4g us\n", loop_held_us());
  std::printf("metrics_10k_hosts_100k_jobs_kb %.4g kB\n", static_cast<double>(bytes) / 1000);
}

}  // namespace
}  // namespace wm

int main() { wm::run(); }
