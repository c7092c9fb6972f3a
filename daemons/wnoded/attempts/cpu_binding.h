// Role: which CPUs the slots of one attempt with affinity[] have on this host, and how its tasks
// are told. A value: chosen once for each slot, kept until the attempt is gone.
//
// @source LSF: LSB_BIND_CPU_LIST, LSB_AFFINITY_HOSTFILE, LSB_BIND_MEM_LIST, LSB_BIND_MEM_POLICY
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "libwm/launch/affinity.h"
#include "libwm/launch/launch_env.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"

namespace wm::node {

/// See the file comment.
class CpuBinding {
 public:
  /// The order has an affinity[] that reads. @cost O(requirement)
  static bool is_asked(const HostOrder& order);
  /// After a restart: what a task that goes on is bound to, as the kernel has it. One that may use
  /// all CPUs of the host is not bound.
  void recall(TaskNumber task, const std::vector<std::uint32_t>& cpus,
              const launch::HostFacts& host);
  /// Gives every slot of the order that has none its CPUs, those without a process, too. `taken`:
  /// what other slots of the host have. Near the task's GPU, which is one of `gpus`.
  /// Returns the tasks for which no CPUs are free. @cost O(slots x CPUs)
  std::vector<TaskNumber> choose(const HostOrder& order, const launch::HostFacts& host,
                                 const std::vector<Gpu>& gpus,
                                 const std::set<std::uint32_t>& taken);
  /// The CPUs that a slot has; empty: none. @cost O(log slots)
  std::vector<std::uint32_t> taken_by(TaskNumber task) const;
  /// Slots that are bound. @cost O(slots)
  std::vector<TaskNumber> slots() const;

  /// Binds a task: a process has the CPUs of its own slot, and of those slots here that have none;
  /// and the memory of the nodes that these are on, if that is asked for. @cost O(slots + CPUs)
  void bind(const HostOrder& order, const launch::HostFacts& host, launch::TaskSpec& task) const;
  /// One line a bound slot: the host's name and the CPUs. @cost O(slots)
  launch::SmallFile file(const std::string& host_name) const;
  /// No slot is bound.
  bool empty() const { return bindings_.empty(); }

 private:
  std::map<TaskNumber, launch::Binding> bindings_;
};

}  // namespace wm::node
