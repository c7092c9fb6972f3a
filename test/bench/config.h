// Role: the configuration that the scheduler's benchmarks share.
#pragma once

#include <memory>
#include <utility>

#include "libwm/model/config/config.h"

namespace wm {

/// Two queues of different priority and three plans, one below another.
inline std::shared_ptr<const Config> config() {
  auto made = std::make_shared<Config>();
  for (auto [name, priority] : {std::pair{"high", 90u}, {"normal", 50u}}) {
    QueueConf queue;
    queue.name = name;
    queue.priority = priority;
    made->queues.push_back(queue);
  }
  for (const char* path : {"/a", "/a/x", "/b"}) {
    PlanConf plan;
    plan.path = path;
    made->plans.push_back(plan);
  }
  return made;
}

}  // namespace wm
