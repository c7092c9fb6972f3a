// Role: which tasks use more memory of a GPU than the gmem that they asked for. Pure.
//
//   reading of a GPU: processes, each with its memory and those above it
//     └─ a task's own process among them ─► the task's; nobody's, and one task has the GPU ─► its
//
// Where the driver tells no process's memory, all that is in use beyond the base is its task's, if
// one task alone has the GPU. Part of core.h.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "daemons/wnoded/attempts/attempts.h"
#include "libwm/gpu/gpu_reading.h"
#include "libwm/model/attempt_use.h"

namespace wm::node {

/// By attempt, GPUs in the driver's order.
using GpuOveruses = std::map<launch::AttemptKey, std::vector<GpuOveruse>>;

/// `base`: of a GPU by its uuid, in use when nobody uses it.
/// @cost O(GPUs x tasks of the host + processes x depth of the process tree)
GpuOveruses gpu_overuses(const std::vector<gpu::GpuReading>& readings, const Attempts& attempts,
                         const std::function<Bytes(const std::string&)>& base);

/// "task 2 of job 7 uses 5G, its gmem is 4G": by uuid; several one after the other.
/// @cost O(overuses)
std::map<std::string, std::string> overuse_words(const GpuOveruses& overuses);

}  // namespace wm::node
