// Which CPUs the tasks of jobs with affinity[] get on this host, and how they are told.
#include <algorithm>

#include "daemons/wnoded/core.h"
#include "libwm/base/log.h"
#include "libwm/launch/affinity.h"

namespace wm::node {
namespace {

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

}  // namespace

std::set<std::uint32_t> Core::bound_cpus() const {
  std::set<std::uint32_t> taken;
  for (const auto& [key, entry] : attempts_) {
    if (entry.stage == Stage::Over) continue;
    for (const auto& [number, task] : entry.bindings)
      if (auto at = entry.tasks.find(number); at == entry.tasks.end() || !at->second.ended)
        taken.insert(task.units.begin(), task.units.end());
  }
  return taken;
}

/// After a restart: what the tasks that go on are bound to, as the kernel has it.
void Core::recall_cpus(Entry& entry) {
  auto asked = launch::affinity_of(entry.order.resolved.asked.resreq);
  if (!asked || !*asked) return;
  for (const auto& [number, task] : entry.tasks) {
    if (task.ended || task.pid <= 0) continue;
    auto cpus = outside_.cpus_of(task.pid);
    if (cpus.size() < host_.cpus.size()) entry.bindings[number] = {number, cpus, cpus};
  }
}

/// Every slot of the order gets its CPUs once; room without a process, too.
void Core::choose_cpus(Entry& entry) {
  auto asked = launch::affinity_of(entry.order.resolved.asked.resreq);
  if (!asked || !*asked || host_.cpus.empty()) return;
  std::vector<launch::BindWish> wishes;
  for (const auto& task : entry.order.tasks)
    if (!task.kill && !task.leave && !entry.bindings.contains(task.task))
      wishes.push_back({task.task, numa_of(task, card_.capacity.gpus)});
  for (auto& binding : launch::plan_bindings(host_.cpus, **asked, bound_cpus(), wishes)) {
    if (binding.units.empty())
      log::warn("task_not_bound", {{"job", to_string(entry.order.job)},
                                   {"task", binding.task.value},
                                   {"why", "no CPUs are free that its affinity[] asks for"}});
    entry.bindings[binding.task] = std::move(binding);
  }
}

/// A process has the CPUs of its own slot, and of those slots here that have none.
/// @source LSF: LSB_BIND_CPU_LIST, LSB_AFFINITY_HOSTFILE
void Core::bind(const Entry& entry, launch::TaskSpec& task) const {
  if (entry.bindings.empty()) return;
  for (const auto& slot : entry.order.tasks) {
    auto at = entry.bindings.find(slot.task);
    bool its = slot.task == task.task || !slot.has_process;
    if (its && at != entry.bindings.end()) merge(task.cpus, at->second.cpus);
  }
  task.env.push_back("LSB_AFFINITY_HOSTFILE=" + launch::attempt_dir(entry.order, host_) +
                     "/affinity");
  if (task.cpus.empty()) return;
  task.env.push_back("LSB_BIND_CPU_LIST=" + launch::cpu_list(task.cpus));
  bind_memory(entry, task);
}

/// Memory of the nodes that its CPUs are on. @source LSF: LSB_BIND_MEM_LIST, LSB_BIND_MEM_POLICY
void Core::bind_memory(const Entry& entry, launch::TaskSpec& task) const {
  using Memory = launch::Affinity::Memory;
  auto asked = launch::affinity_of(entry.order.resolved.asked.resreq);
  if (!asked || !*asked || (*asked)->memory == Memory::Any) return;
  auto policy = (*asked)->memory;
  task.memory = {launch::nodes_of(host_.cpus, task.cpus), policy == Memory::LocalOnly};
  task.env.push_back("LSB_BIND_MEM_LIST=" + launch::cpu_list(task.memory.nodes));
  task.env.push_back("LSB_BIND_MEM_POLICY=" + std::string(launch::word_of(policy)));
  bool alone = std::all_of(host_.cpus.begin(), host_.cpus.end(),
                           [&](const auto& cpu) { return cpu.numa == host_.cpus.front().numa; });
  log::info("task_memory_bound", {{"job", to_string(entry.order.job)},
                                  {"task", task.task.value},
                                  {"nodes", launch::cpu_list(task.memory.nodes)},
                                  {"note", alone ? "the host's only node" : ""}});
}

/// One line a slot of this host: its name and its CPUs. @source LSF: LSB_AFFINITY_HOSTFILE
launch::SmallFile Core::affinity_file(const Entry& entry) const {
  std::string text;
  for (const auto& [number, binding] : entry.bindings)
    if (!binding.cpus.empty()) text += host_.name + " " + launch::cpu_list(binding.cpus) + "\n";
  return {"affinity", text, false};
}

}  // namespace wm::node
