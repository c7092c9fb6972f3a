#include "daemons/wshepherd/attempt.h"

#include <algorithm>

#include "daemons/wshepherd/user/output.h"

namespace wm::shepherd {

bool Attempt::running(TaskNumber number) const {
  auto at = tasks.find(number);
  return at != tasks.end() && at->second.phase == Phase::Running;
}

bool Attempt::any_running() const {
  return std::any_of(tasks.begin(), tasks.end(),
                     [](const auto& entry) { return entry.second.phase == Phase::Running; });
}

bool Attempt::all_ended() const {
  return std::all_of(tasks.begin(), tasks.end(),
                     [](const auto& entry) { return entry.second.phase == Phase::Ended; });
}

bool Attempt::ending() const {
  bool last = spec.ends_with_last_task || told_to_end;
  return finishing || (last && !tasks.empty() && all_ended());
}

std::vector<Task*> Attempt::chosen(const std::vector<TaskNumber>& numbers, Phase phase) {
  std::vector<Task*> found;
  for (auto& [number, task] : tasks)
    if (is_named(task, numbers) && task.phase == phase) found.push_back(&task);
  return found;
}

std::vector<pid_t> Attempt::strays() const {
  auto except = own;
  for (const auto& [number, task] : tasks)
    if (task.phase == Phase::Running) except.insert(task.pid);
  return env.processes.descendants_of(env.children.self(), except);
}

std::vector<pid_t> Attempt::everybody() const {
  auto pids = strays();
  for (const auto& [number, task] : tasks)
    if (task.phase == Phase::Running) pids.push_back(task.pid);
  for (const auto& [number, task] : tasks)
    if (task.phase == Phase::Running)
      for (auto pid : env.processes.descendants_of(task.pid, {})) pids.push_back(pid);
  return pids;
}

std::vector<pid_t> Attempt::launched() const {
  if (agent == 0) return {};
  return env.processes.descendants_of(agent, {});
}

bool Attempt::is_of(pid_t pid, const Task& task) const {
  auto stat = env.processes.stat(pid);
  if (!stat) return false;
  if (stat->session == task.pid || !any_running()) return true;
  return env.processes.variable_of(pid, launch::kTaskVariable) ==
         std::to_string(task.spec.task.value);
}

const launch::ExitRecord* Attempt::deciding_record() const {
  if (tasks.empty()) return nullptr;
  for (const auto& [number, task] : tasks)
    if (hands_over(task.spec) && task.spec.writer) return &task.record;
  if (hands_over(tasks.begin()->second.spec)) return nullptr;
  auto failed = std::find_if(tasks.begin(), tasks.end(),
                             [](const auto& e) { return e.second.record.status != 0; });
  return &(failed != tasks.end() ? failed : tasks.begin())->second.record;
}

launch::ShepherdUp Attempt::who_i_am() const {
  launch::ShepherdUp up{launch::kLauncherVersion, spec.key, env.children.self(), spec.memo, {}};
  for (const auto& [number, task] : tasks)
    up.tasks.push_back(
        {task.record.task, task.pid, task.record.started, task.phase == Phase::Ended, task.start});
  return up;
}

}  // namespace wm::shepherd
