// Role: which GPUs and MPS daemons the attempts of this host need at the moment. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/mps.h"
#include "daemons/wnoded/task_meters.h"

namespace wm::node {

/// The daemon that a task needs; none: it asks for none, or its GPUs are only declared.
std::optional<MpsKey> mps_of(const HostOrder& order, const OrderedTask& task);
/// The devices of a task of the order; none: it is not one of them. @cost O(tasks)
std::vector<std::string> gpus_of(const HostOrder& order, TaskNumber number);
/// Devices that processes of tasks may be using. @cost O(tasks of the host)
std::set<std::string> held_gpus(const Attempts& attempts);
/// The tasks that run on each device. @cost O(tasks of the host)
GpuHolders gpu_holders(const Attempts& attempts);
/// Daemons that tasks use, or are to use. @cost O(tasks of the host)
std::set<MpsKey> wanted_mps(const Attempts& attempts);

}  // namespace wm::node
