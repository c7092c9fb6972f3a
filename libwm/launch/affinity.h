// Role: which CPUs each task of a job with affinity[] is bound to on its host. Pure: the host's
// CPUs, what is taken, and the wishes give the bindings; wnoded keeps them until the tasks end.
//
//   -R "affinity[core(2):cpubind=numa:membind=localonly]"     memory of the CPUs' nodes only
//   -R "affinity[core(2):cpubind=numa:distribute=balance]"   two whole cores a task, no two tasks
//   on
//                                                            one, bound to all CPUs of their nodes
//
// Invariants: no CPU that is taken is given out; a task's units lie on as few NUMA nodes as can
// be, near its GPUs first; equal states give equal bindings. A task that finds no room is not
// bound: the scheduler counts cores, this only says which.
// @source LSF affinity[] strings
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/model/host.h"

namespace wm::launch {

/// A machine's CPUs in the order of its topology.
using CpuMap = std::vector<Cpu>;

/// What an affinity[] section asks for.
struct Affinity {
  enum class Unit : std::uint8_t { Thread, Core, Numa, Socket };
  /// LocalOnly: memory of the nodes of its CPUs or none; LocalPrefer: of these while there is some.
  enum class Memory : std::uint8_t { Any, LocalOnly, LocalPrefer };
  Unit unit = Unit::Core;
  std::uint32_t count = 1;      ///< units a task
  Unit bind = Unit::Core;       ///< cpubind=: a task may use all CPUs of these that its units touch
  bool balance = false;         ///< distribute=balance: tasks spread over the NUMA nodes
  Memory memory = Memory::Any;  ///< membind=
  bool operator==(const Affinity&) const = default;
};

/// The affinity[] section of a resource requirement; empty: it has none.
/// @errors BadArgument: a unit, number or word that is not known
Result<std::optional<Affinity>> affinity_of(std::string_view resreq);

/// A task to be bound. `numa`: where its GPUs are.
struct BindWish {
  TaskNumber task;
  std::optional<std::uint32_t> numa;
};
/// `units`: CPUs that are now taken; `cpus`: CPUs that the task may use. Both empty: no room.
struct Binding {
  TaskNumber task;
  std::vector<std::uint32_t> units, cpus;
  bool operator==(const Binding&) const = default;
};
/// Binds the tasks one after the other. @shape one binding a wish   @cost O(wishes x CPUs)
std::vector<Binding> plan_bindings(const CpuMap& map, const Affinity& asked,
                                   std::set<std::uint32_t> taken,
                                   const std::vector<BindWish>& wishes);

/// Where a task's memory comes from.
struct MemoryBinding {
  std::vector<std::uint32_t> nodes;  ///< NUMA nodes, rising; empty: from anywhere
  bool only = false;                 ///< from these or not at all; else from these first
  bool operator==(const MemoryBinding&) const = default;
};

/// The NUMA nodes of these CPUs, rising. @cost O(map x cpus)
std::vector<std::uint32_t> nodes_of(const CpuMap& map, const std::vector<std::uint32_t>& cpus);

/// "0,1,4": as LSB_BIND_CPU_LIST and LSB_BIND_MEM_LIST have it.
std::string cpu_list(const std::vector<std::uint32_t>& cpus);

/// "localonly", "localprefer"; empty for Any. @source LSF: LSB_BIND_MEM_POLICY
std::string_view word_of(Affinity::Memory memory);

}  // namespace wm::launch
