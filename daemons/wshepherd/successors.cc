#include "daemons/wshepherd/successors.h"

#include <signal.h>

#include <algorithm>

namespace wm::shepherd {

void Successors::replace(std::vector<launch::Replacement> tasks, Duration grace) {
  for (auto& task : tasks) replace(std::move(task), grace);
}

void Successors::replace(launch::Replacement replacement, Duration grace) {
  auto& waiting = attempt_.spec.tasks;
  auto waits = std::find_if(waiting.begin(), waiting.end(),
                            [&](const auto& task) { return task.task == replacement.old; });
  if (waits != waiting.end()) return void(*waits = std::move(replacement.spec));
  auto at = std::find_if(attempt_.tasks.begin(), attempt_.tasks.end(), [&](const auto& entry) {
    return entry.second.phase != Phase::Ended && known_as(entry.second) == replacement.old;
  });
  if (at == attempt_.tasks.end()) return;
  auto& task = at->second;
  if (task.phase != Phase::Running && !task.successor) return;  // it has ended by itself
  task.successor = std::move(replacement.spec);
  if (task.ending) return;
  enders_.end(task, {{SIGTERM, SIGKILL}}, launch::EndCause::Ordered, "restarted at another size");
  task.ending->interval = grace;
}

void Successors::drop(const std::vector<TaskNumber>& tasks, const std::string& why) {
  for (auto& [number, task] : attempt_.tasks) {
    if (!is_named(task, tasks) || !task.successor) continue;
    task.record.task = task.successor->task;
    task.record.text = why;
    task.successor.reset();
  }
}

void Successors::succeed(TaskNumber number) {
  auto old = std::move(attempt_.tasks.extract(number).mapped());
  auto& task = attempt_.tasks[old.successor->task];
  task.spec = std::move(*old.successor);
  task.cpu_before = old.record.usage.cpu;
  starter_.start(task);
}

}  // namespace wm::shepherd
