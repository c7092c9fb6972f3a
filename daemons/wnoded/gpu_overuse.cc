#include "daemons/wnoded/gpu_overuse.h"

#include <algorithm>

namespace wm::node {
namespace {

/// A task that runs on a GPU, and that has said how much of it it needs or not.
struct Holder {
  launch::AttemptKey key;
  TaskNumber task;
  std::int32_t pid = 0;
  Bytes asked{0}, used{0};
};

std::vector<Holder> holders_of(const std::string& uuid, const Attempts& attempts) {
  std::vector<Holder> holders;
  for (const auto& [key, attempt] : attempts.all())
    for (const auto& task : attempt.order.tasks) {
      bool has =
          std::find(task.gpu_uuids.begin(), task.gpu_uuids.end(), uuid) != task.gpu_uuids.end();
      if (!has || !is_running(attempt, task.task)) continue;
      holders.push_back({key, task.task, attempt.tasks.at(task.task).pid,
                         attempt.order.resolved.task.gpu_mem, Bytes{0}});
    }
  return holders;
}

Holder* holder_of(const gpu::GpuProcess& process, std::vector<Holder>& holders) {
  auto is_below = [&](const Holder& holder) {
    return holder.pid > 0 &&
           (process.pid == holder.pid || std::find(process.above.begin(), process.above.end(),
                                                   holder.pid) != process.above.end());
  };
  auto found = std::find_if(holders.begin(), holders.end(), is_below);
  if (found != holders.end()) return &*found;
  return holders.size() == 1 ? &holders.front() : nullptr;
}

void count_use(const gpu::GpuReading& reading, std::vector<Holder>& holders, Bytes base) {
  Bytes told{0};
  for (const auto& process : reading.processes) {
    told = told + process.mem;
    if (Holder* holder = holder_of(process, holders)) holder->used = holder->used + process.mem;
  }
  bool untold = told.value == 0 && !reading.processes.empty() && holders.size() == 1;
  if (untold) holders.front().used = std::max(Bytes{0}, reading.used - base);
}

}  // namespace

GpuOveruses gpu_overuses(const std::vector<gpu::GpuReading>& readings, const Attempts& attempts,
                         const std::function<Bytes(const std::string&)>& base) {
  GpuOveruses found;
  for (const auto& reading : readings) {
    if (reading.trouble != 0) continue;
    auto holders = holders_of(reading.uuid, attempts);
    count_use(reading, holders, base(reading.uuid));
    for (const Holder& holder : holders)
      if (holder.asked.value > 0 && holder.used > holder.asked)
        found[holder.key].push_back({holder.task, reading.uuid, holder.used, holder.asked});
  }
  return found;
}

std::map<std::string, std::string> overuse_words(const GpuOveruses& overuses) {
  std::map<std::string, std::string> words;
  for (const auto& [key, list] : overuses)
    for (const auto& use : list) {
      auto& text = words[use.gpu];
      text += (text.empty() ? "task " : "; task ") + std::to_string(use.task.value) + " of job " +
              to_string(key.job) + " uses " + format_bytes(use.used) + ", its gmem is " +
              format_bytes(use.asked);
    }
  return words;
}

}  // namespace wm::node
