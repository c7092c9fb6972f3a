#include "libwm/conf/findings.h"

#include <algorithm>

#include "libwm/model/cluster.h"

namespace wm::conf {

Findings check_left_out(const Config& next, std::span<const QueueView> queues,
                        std::span<const HostView> hosts) {
  Findings found;
  for (const auto& view : queues)
    if (view.jobs > 0 && !next.queue(view.conf.name))
      found.push_back({false, "queues.conf: queue '" + view.conf.name + "' is left out and has " +
                                  std::to_string(view.jobs) +
                                  " slots of jobs: bswitch them, or keep it until they are over"});
  for (const auto& view : hosts)
    if (view.jobs > 0 && !next.host(view.host.name))
      found.push_back({false, "hosts.conf: host '" + view.host.name + "' is left out and has " +
                                  std::to_string(view.jobs) +
                                  " slots of jobs: they go on, and it is closed"});
  return found;
}

Findings check_strangers(const Config& next, std::span<const Stranger> strangers) {
  Findings found;
  for (const auto& stranger : strangers)
    if (!next.host(stranger.name))
      found.push_back({false, "hosts.conf: host '" + stranger.name +
                                  "' asks to join and is refused: add a section [" + stranger.name +
                                  "]"});
  return found;
}

Findings check_plan_limits(const Config& config) {
  auto is_open = [&](const PlanConf& plan) {  // to one who is listed nowhere
    return may_use_plan(config, plan.path, {});
  };
  Findings found;
  for (const auto& plan : config.plans) {
    if (!plan.limit) continue;
    auto above = std::find_if(config.plans.begin(), config.plans.end(), [&](const PlanConf& top) {
      bool is_above = top.path == "/" ? plan.path != "/" : plan.path.starts_with(top.path + "/");
      return is_above && (!top.limit || *top.limit > *plan.limit) && is_open(top);
    });
    if (above == config.plans.end()) continue;
    found.push_back({false, "plan '" + plan.path + "': its limit of " +
                                std::to_string(*plan.limit) + " holds nobody who may say -plan " +
                                above->path + ": give its users that plan in users.conf, or '" +
                                above->path + "' users"});
  }
  return found;
}

}  // namespace wm::conf
