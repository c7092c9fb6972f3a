// Role: what the master's effects shall do after an event is durable. Actions say which
// object to bring in line with the state, never how: sending one twice is harmless.
#pragma once

#include <variant>
#include <vector>

#include "libwm/base/ids.h"

namespace wm {

/// Tell this host what the state wants of this attempt there.
struct OrderHost {
  HostId host;
  JobId job;
  auto operator<=>(const OrderHost&) const = default;
};
/// Tell the agents of an elastic job the wanted membership.
struct OrderAgents {
  JobId job;
  auto operator<=>(const OrderAgents&) const = default;
};
/// Slots, jobs or limits have changed: run a scheduling pass.
struct RunScheduler {
  auto operator<=>(const RunScheduler&) const = default;
};
using Action = std::variant<OrderHost, OrderAgents, RunScheduler>;
/// In order, without repeats.
using Actions = std::vector<Action>;

}  // namespace wm
