// Role: what is wrong with a configuration that the files alone do not show: queues and hosts that
// it leaves out while they have jobs, hosts that want to join, limits that bind nobody. Pure. Used
// by badmin ckconfig and by the web door.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::conf {

/// One thing that is wrong. `stops`: a daemon would not start, or would be refused.
struct Finding {
  bool stops = false;
  std::string text;
  bool operator==(const Finding&) const = default;
};
/// In the order in which they were looked for.
using Findings = std::vector<Finding>;

/// Plans with a limit that their users can leave: a plan above allows more and is open to all. One
/// a plan.
/// @cost O(plans x depth)
Findings check_plan_limits(const Config& config);

/// What the running cluster has and `next` leaves out, where jobs are there.
/// @cost O(queues + hosts)
Findings check_left_out(const Config& next, std::span<const QueueView> queues,
                        std::span<const HostView> hosts);

/// Hosts that want to join and are not in `next`. @cost O(strangers)
Findings check_strangers(const Config& next, std::span<const Stranger> strangers);

}  // namespace wm::conf
