#include "daemons/wnoded/gpu_needs.h"

namespace wm::node {

std::optional<MpsKey> mps_of(const HostOrder& order, const OrderedTask& task) {
  const auto& request = order.resolved.task;
  bool device = !task.gpu_uuids.empty() &&
                (task.gpu_uuids[0].starts_with("GPU-") || task.gpu_uuids[0].starts_with("MIG-"));
  if (!request.mps_uid || !device) return std::nullopt;
  return MpsKey{*request.mps_uid, task.gpu_uuids};
}

std::vector<std::string> gpus_of(const HostOrder& order, TaskNumber number) {
  const auto* task = ordered(order, number);
  return task ? task->gpu_uuids : std::vector<std::string>{};
}

std::set<std::string> held_gpus(const Attempts& attempts) {
  std::set<std::string> held;
  for (const auto& [key, attempt] : attempts.all()) {
    bool together = attempt.order.resolved.task.gpu_see_all && runs(attempt);
    for (const auto& task : attempt.order.tasks)
      if (together || is_running(attempt, task.task))
        held.insert(task.gpu_uuids.begin(), task.gpu_uuids.end());
  }
  return held;
}

GpuHolders gpu_holders(const Attempts& attempts) {
  GpuHolders holders;
  for (const auto& [key, attempt] : attempts.all())
    for (const auto& task : attempt.order.tasks) {
      if (!is_running(attempt, task.task)) continue;
      for (const auto& uuid : task.gpu_uuids) holders[uuid].emplace_back(key, task.task);
    }
  return holders;
}

GpuHold hold_of(const LocalAttempt& attempt, TaskNumber task) {
  GpuHold hold{attempt.key, task};
  auto known = attempt.tasks.find(task);
  if (known == attempt.tasks.end()) return hold;
  hold.since = known->second.since;
  if (known->second.ended) hold.until = known->second.until;
  return hold;
}

GpuHolds gpu_holds(const Attempts& attempts,
                   const std::function<bool(const launch::AttemptKey&, TaskNumber)>& kept_back) {
  GpuHolds holds;
  for (const auto& [key, attempt] : attempts.all())
    for (const auto& task : attempt.order.tasks) {
      bool waits = is_held_back(attempt, task.task) || kept_back(key, task.task);
      if (!waits && !is_running(attempt, task.task)) continue;
      for (const auto& uuid : task.gpu_uuids) holds[uuid].push_back(hold_of(attempt, task.task));
    }
  return holds;
}

std::set<MpsKey> wanted_mps(const Attempts& attempts) {
  std::set<MpsKey> wanted;
  for (const auto& [key, attempt] : attempts.all()) {
    if (attempt.forgotten) continue;
    for (const auto& task : attempt.order.tasks) {
      auto daemon = mps_of(attempt.order, task);
      if (daemon && task.has_process && !has_ended(attempt, task.task)) wanted.insert(*daemon);
    }
  }
  return wanted;
}

}  // namespace wm::node
