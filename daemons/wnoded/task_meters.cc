#include "daemons/wnoded/task_meters.h"

#include <algorithm>

namespace wm::node {

void TaskMeters::look(const std::vector<gpu::GpuReading>& readings, const GpuHolders& holders,
                      TimePoint now, Duration usual) {
  for (const auto& reading : readings) {
    if (!reading.uuid.starts_with("GPU-") || reading.trouble != 0) continue;
    auto [at, first] = last_.try_emplace(reading.uuid);
    auto before = at->second;
    at->second = {now, reading.energy_mj};
    auto passed = now - before.at;
    auto held = holders.find(reading.uuid);
    if (first || passed > 3 * usual || held == holders.end() || held->second.empty()) continue;
    auto part = static_cast<std::int64_t>(held->second.size());
    auto energy = before.energy_mj && reading.energy_mj >= before.energy_mj
                      ? reading.energy_mj - before.energy_mj
                      : 0;
    for (const auto& [key, task] : held->second) {
      auto& sum = sums_[{key, task}];
      sum.job = key.job, sum.attempt = key.attempt, sum.task = task;
      sum.seen += passed / part;
      sum.busy += passed * reading.busy / 100 / part;
      sum.energy_mj += static_cast<std::int64_t>(energy) / part;
    }
  }
}

void TaskMeters::add(const launch::AttemptKey& key, TaskNumber first, const launch::Used& used) {
  auto& sum = sums_[{key, first}];
  sum.job = key.job, sum.attempt = key.attempt, sum.task = first;
  sum.cpu += used.cpu, sum.cpu_seen += used.seen;
  sum.mem_peak = std::max(sum.mem_peak, used.mem_peak);
}

std::vector<TaskMeter> TaskMeters::take() {
  std::vector<TaskMeter> made;
  for (const auto& [key, sum] : sums_) made.push_back(sum);
  sums_.clear();
  return made;
}

}  // namespace wm::node
