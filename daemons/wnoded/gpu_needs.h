// Role: which GPUs and MPS daemons the attempts of this host need at the moment. Pure.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/gpu_energy.h"
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
/// Since when a task has its devices, and until when it had. @cost O(log tasks)
GpuHold hold_of(const LocalAttempt& attempt, TaskNumber task);
/// The tasks that have each device: those that run, and those that are `kept_back`, the end of
/// which waits for a look at it. @cost O(tasks of the host)
GpuHolds gpu_holds(const Attempts& attempts,
                   const std::function<bool(const launch::AttemptKey&, TaskNumber)>& kept_back);
/// Daemons that tasks use, or are to use. @cost O(tasks of the host)
std::set<MpsKey> wanted_mps(const Attempts& attempts);

}  // namespace wm::node
