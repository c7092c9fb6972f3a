#include "daemons/wnoded/attempts/cpu_binding.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace wm::node {
namespace {

std::optional<launch::Affinity> asked_of(const HostOrder& order) {
  auto asked = launch::affinity_of(order.resolved.asked.resreq);
  return asked ? *asked : std::nullopt;
}

std::optional<std::uint32_t> numa_of(const OrderedTask& task, const std::vector<Gpu>& gpus) {
  for (auto index : task.gpus)
    if (index < gpus.size() && gpus[index].numa >= 0)
      return static_cast<std::uint32_t>(gpus[index].numa);
  return std::nullopt;
}

void merge(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& more) {
  into.insert(into.end(), more.begin(), more.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

void bind_memory(const launch::Affinity& asked, const launch::HostFacts& host,
                 launch::TaskSpec& task) {
  using Memory = launch::Affinity::Memory;
  if (asked.memory == Memory::Any) return;
  task.memory = {launch::nodes_of(host.cpus, task.cpus), asked.memory == Memory::LocalOnly};
  task.env.push_back("LSB_BIND_MEM_LIST=" + launch::cpu_list(task.memory.nodes));
  task.env.push_back("LSB_BIND_MEM_POLICY=" + std::string(launch::word_of(asked.memory)));
}

}  // namespace

bool CpuBinding::is_asked(const HostOrder& order) { return asked_of(order).has_value(); }

void CpuBinding::recall(TaskNumber task, const std::vector<std::uint32_t>& cpus,
                        const launch::HostFacts& host) {
  if (cpus.size() < host.cpus.size()) bindings_[task] = {task, cpus, cpus};
}

std::vector<TaskNumber> CpuBinding::choose(const HostOrder& order, const launch::HostFacts& host,
                                           const std::vector<Gpu>& gpus,
                                           const std::set<std::uint32_t>& taken) {
  std::vector<TaskNumber> without;
  auto asked = asked_of(order);
  if (!asked || host.cpus.empty()) return without;
  std::vector<launch::BindWish> wishes;
  for (const auto& task : order.tasks)
    if (!task.kill && !task.leave && !bindings_.contains(task.task))
      wishes.push_back({task.task, numa_of(task, gpus)});
  for (auto& binding : launch::plan_bindings(host.cpus, *asked, taken, wishes)) {
    if (binding.units.empty()) without.push_back(binding.task);
    auto task = binding.task;
    bindings_[task] = std::move(binding);
  }
  return without;
}

std::vector<std::uint32_t> CpuBinding::taken_by(TaskNumber task) const {
  auto at = bindings_.find(task);
  return at == bindings_.end() ? std::vector<std::uint32_t>{} : at->second.units;
}

std::vector<TaskNumber> CpuBinding::slots() const {
  std::vector<TaskNumber> bound;
  for (const auto& [task, binding] : bindings_) bound.push_back(task);
  return bound;
}

void CpuBinding::bind(const HostOrder& order, const launch::HostFacts& host,
                      launch::TaskSpec& task) const {
  if (bindings_.empty()) return;
  for (const auto& slot : order.tasks) {
    auto at = bindings_.find(slot.task);
    bool its = slot.task == task.task || !slot.has_process;
    if (its && at != bindings_.end()) merge(task.cpus, at->second.cpus);
  }
  task.env.push_back("LSB_AFFINITY_HOSTFILE=" + launch::attempt_dir(order, host) + "/affinity");
  if (task.cpus.empty()) return;
  task.env.push_back("LSB_BIND_CPU_LIST=" + launch::cpu_list(task.cpus));
  if (auto asked = asked_of(order)) bind_memory(*asked, host, task);
}

launch::SmallFile CpuBinding::file(const std::string& host_name) const {
  std::string text;
  for (const auto& [number, binding] : bindings_)
    if (!binding.cpus.empty()) text += host_name + " " + launch::cpu_list(binding.cpus) + "\n";
  return {"affinity", text, false};
}

}  // namespace wm::node
