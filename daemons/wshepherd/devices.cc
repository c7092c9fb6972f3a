#include "daemons/wshepherd/devices.h"

namespace wm::shepherd {

void guard_devices(Attempt& attempt) {
  const auto& spec = attempt.spec;
  std::set<launch::CharDevice> denied(spec.guarded.begin(), spec.guarded.end());
  auto allow = [&](const launch::TaskSpec& task) {
    for (const auto& device : task.devices) denied.erase(device);
  };
  for (const auto& task : spec.tasks) allow(task);
  for (const auto& [number, task] : attempt.tasks)
    if (task.phase == Phase::Running) allow(task.spec);
  if (auto done = attempt.env.group.deny(denied); !done)
    attempt.env.words.complain(done.error().text);
}

}  // namespace wm::shepherd
