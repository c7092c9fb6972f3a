// What wnoded does for the GPUs of its tasks: their end waits until the devices are free, MPS
// daemons are there before the tasks that need them.
#include <algorithm>

#include "daemons/wnoded/core.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

/// The daemon that a task needs; none: it asks for none, or its GPUs are only declared.
std::optional<MpsKey> mps_of(const HostOrder& order, const OrderedTask& task) {
  const auto& request = order.resolved.task;
  bool device = !task.gpu_uuids.empty() &&
                (task.gpu_uuids[0].starts_with("GPU-") || task.gpu_uuids[0].starts_with("MIG-"));
  if (!request.mps_uid || !device) return std::nullopt;
  return MpsKey{*request.mps_uid, task.gpu_uuids};
}

/// The devices of a task of the order; none: it is not one of them.
std::vector<std::string> gpus_of(const HostOrder& order, TaskNumber number) {
  for (const auto& task : order.tasks)
    if (task.task == number) return task.gpu_uuids;
  return {};
}

}  // namespace

/// GPUs that the task had to itself must be free before its end is told. Of shared ones, that
/// its processes are gone is all that can be proven.
bool Core::drain_gpus(Entry& entry, const FactEnded& fact) {
  if (entry.forgotten || entry.order.resolved.task.gpu_shared) return false;
  if (!entry.order.resolved.task.gpu_see_all)
    return gpus_.drain(gpus_of(entry.order, fact.task), fact, times_.kill_grace);
  entry.held_back.push_back(fact);
  tell_together(entry);
  return true;
}

/// Tasks that see each other's GPUs: none of them is free while one of them runs, so their ends are
/// told together.
void Core::tell_together(Entry& entry) {
  if (runs(entry)) return;
  for (const auto& fact : std::exchange(entry.held_back, {}))
    if (!gpus_.drain(gpus_of(entry.order, fact.task), fact, times_.kill_grace)) say(entry, fact);
}

bool Core::is_held_back(const Entry& entry, TaskNumber task) {
  return std::any_of(entry.held_back.begin(), entry.held_back.end(),
                     [&](const FactEnded& fact) { return fact.task == task; });
}

bool Core::runs(const Entry& entry) {
  return std::any_of(entry.tasks.begin(), entry.tasks.end(),
                     [](const auto& known) { return !known.second.ended; });
}

void Core::on_drained(const launch::AttemptKey& key, const FactEnded& fact) {
  auto at = attempts_.find(key);
  if (at == attempts_.end()) return;
  say(at->second, fact);
  drop_if_done(key);
}

std::set<std::string> Core::held_gpus() const {
  std::set<std::string> held;
  for (const auto& [key, entry] : attempts_) {
    for (const auto& task : entry.order.tasks) {
      auto known = entry.tasks.find(task.task);
      bool together = entry.order.resolved.task.gpu_see_all && runs(entry);
      if (together || (known != entry.tasks.end() && !known->second.ended))
        held.insert(task.gpu_uuids.begin(), task.gpu_uuids.end());
    }
  }
  held.merge(mps_.held());
  return held;
}

GpuHolders Core::gpu_holders() const {
  GpuHolders holders;
  for (const auto& [key, entry] : attempts_)
    for (const auto& task : entry.order.tasks) {
      auto known = entry.tasks.find(task.task);
      if (known == entry.tasks.end() || known->second.ended) continue;
      for (const auto& uuid : task.gpu_uuids) holders[uuid].emplace_back(key, task.task);
    }
  return holders;
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::Used& word) {
  if (!entry.order.tasks.empty()) meters_.add(key, entry.order.tasks.front().task, word);
  uses_.hear(key, word);
}

// What is lost on the way is not told again: the next frame has the next minute.
void Core::tell_meters() {
  constexpr auto kBetween = std::chrono::minutes(1);
  if (outside_.mono() < meters_due_) return;
  meters_due_ = outside_.mono() + kBetween;
  HostMeter told;
  told.tasks = meters_.take();
  auto now = outside_.mono(), before = std::exchange(energy_at_, now);
  if (auto energy = outside_.cpu_energy_mj()) {
    told.cpu_energy_mj = *energy;
    told.energy_seen = now - before;
  }
  if (told.tasks.empty() && told.energy_seen == Duration{}) return;
  outside_.send(static_cast<NodeVerb>(kMeterFrame), codec::encode(told));
}

std::set<MpsKey> Core::wanted_mps() const {
  std::set<MpsKey> wanted;
  for (const auto& [key, entry] : attempts_) {
    if (entry.forgotten) continue;
    for (const auto& task : entry.order.tasks) {
      auto known = entry.tasks.find(task.task);
      bool over = known != entry.tasks.end() && known->second.ended;
      auto daemon = mps_of(entry.order, task);
      if (daemon && task.has_process && !over) wanted.insert(*daemon);
    }
  }
  return wanted;
}

/// Starts the daemons that tasks of the order still lack; the order is looked at again once
/// they stand. False: not yet, or never (the tasks' end is told then).
bool Core::mps_is_ready(const launch::AttemptKey& key, Entry& entry) {
  bool ready = true;
  for (const auto& task : entry.order.tasks) {
    auto daemon = mps_of(entry.order, task);
    bool starts = task.has_process && !task.kill && !task.leave && !entry.tasks.contains(task.task);
    if (!daemon || !starts || !entry.account) continue;
    auto stand = mps_.need(*daemon, *entry.account, times_.kill_grace);
    if (stand == Mps::Stand::Failed) {
      never_started(key, entry, Term::LaunchFailed,
                    "the MPS daemon " + host_.mps_program + " does not run");
      return false;
    }
    ready = ready && stand == Mps::Stand::Ready;
  }
  entry.waits = !ready;
  return ready;
}

void Core::add_mps(const Entry& entry, const OrderedTask& task, launch::TaskSpec& spec) const {
  auto daemon = mps_of(entry.order, task);
  if (!daemon) return;
  for (auto& variable : mps_.variables(*daemon, entry.order.resolved.task))
    spec.env.push_back(std::move(variable));
}

void Core::look_after_gpus() {
  if (mps_.on_tick(wanted_mps())) {
    std::vector<launch::AttemptKey> waiting;
    for (const auto& [key, entry] : attempts_)
      if (entry.order.resolved.task.mps_uid && entry.stage != Stage::Authorising &&
          entry.stage != Stage::Sweeping)
        waiting.push_back(key);
    for (const auto& key : waiting) {
      bring_in_line(key, attempts_.at(key));
      drop_if_done(key);
    }
  }
  gpus_.on_tick(times_, held_gpus(), session_);
  if (!session_) return;
  if (auto frame = uses_.take(outside_.mono()))
    outside_.send(static_cast<NodeVerb>(kUsesFrame), codec::encode(*frame));
  tell_meters();
}

}  // namespace wm::node
