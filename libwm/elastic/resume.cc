// The newest epoch anybody trained in decides; everything older is history.
#include "libwm/elastic/resume.h"

#include <algorithm>

#include "libwm/elastic/status.h"

namespace wm::elastic {
namespace {

EpochNumber highest(const Roster& roster, const Remembered& past) {
  EpochNumber last = std::max({past.broken, past.withdrawn, roster.order.last_epoch});
  if (!past.plans.empty()) last = std::max(last, past.plans.rbegin()->first);
  for (const auto& [number, task] : roster.tasks) {
    last = std::max({last, task.status.epoch, task.status.connected, task.status.faulted});
  }
  return last;
}

/// The newest epoch that somebody has trained in.
EpochNumber newest_trained(const Roster& roster) {
  EpochNumber newest;
  for (const auto& [number, task] : roster.tasks) newest = std::max(newest, task.status.epoch);
  return newest;
}

/// Workers that are in a training before the program's newest have nothing to do with its epochs.
Roster of_newest_training(Roster roster) {
  for (auto& [number, task] : roster.tasks) {
    auto& status = task.status;
    if (status.trainings < roster.trainings)
      status.epoch = status.connected = status.faulted = EpochNumber{};
  }
  return roster;
}

/// The newest epoch of a training before the program's newest.
EpochNumber newest_before(const Roster& roster) {
  EpochNumber newest;
  for (const auto& [number, task] : roster.tasks) {
    if (task.status.trainings < roster.trainings)
      newest = std::max({newest, task.status.epoch, task.status.connected});
  }
  return newest;
}

/// Members that hold the state of `plan`: survivors, and newcomers that have switched to it.
std::vector<TaskNumber> carriers(const Roster& roster, const EpochPlan& plan) {
  std::vector<TaskNumber> list;
  for (std::size_t i = 0; i < plan.members.size(); ++i) {
    bool switched = find(roster, plan.members[i]).status.epoch == plan.epoch;
    if (switched || i < plan.survivors) list.push_back(plan.members[i]);
  }
  return list;
}

bool is_alive(const Roster& roster, TaskNumber number) {
  const Task& task = find(roster, number);
  return !task.gone && !task.status.left && !task.status.done;
}

/// The epoch that members of `plan` who have not switched still train in; 0 if none does.
EpochNumber still_trained(const Roster& roster, const EpochPlan& plan) {
  EpochNumber older;
  for (auto m : plan.members) {
    const auto& status = find(roster, m).status;
    if (trains(status) && status.epoch < plan.epoch) older = std::max(older, status.epoch);
  }
  return older;
}

bool all_switched(const Roster& roster, const EpochPlan& plan) {
  return std::ranges::all_of(plan.members, [&](TaskNumber m) {
    return !is_alive(roster, m) || find(roster, m).status.epoch >= plan.epoch;
  });
}

/// Some members have switched to `base`, others not yet.
void take_up_half_switched(const Roster& roster, const Remembered& past, const EpochPlan& base,
                           Recalled& recalled) {
  recalled.planned = base;
  auto older = past.plans.find(still_trained(roster, base));
  if (older != past.plans.end()) {
    recalled.current = older->second;
    recalled.intact = true;
  } else {
    recalled.current.members = carriers(roster, base);
    recalled.current.epoch = EpochNumber{base.epoch.value - 1};  // closed; older ones are stale
  }
}

}  // namespace

void note_past(Remembered& past, const AgentStatus& status) {
  for (const auto& plan : status.plans) past.plans.emplace(plan.epoch, plan);
  past.broken = std::max(past.broken, status.broken);
  past.withdrawn = std::max(past.withdrawn, status.withdrawn);
}

Recalled rebuild(const Roster& all, const Remembered& past) {
  Recalled recalled;
  recalled.last = highest(all, past);
  const Roster roster = of_newest_training(all);
  const EpochNumber newest = newest_trained(roster);
  auto known = past.plans.find(newest);
  const EpochPlan* base = known == past.plans.end() ? nullptr : &known->second;
  const EpochNumber dead = std::max(past.broken, past.withdrawn);
  if (newest && newest < roster.order.last_epoch) {  // its successors are gone
    recalled.current.epoch = recalled.last;
    return recalled;
  }
  if (base != nullptr && (base->epoch <= past.broken || base->epoch == past.withdrawn)) {
    recalled.current = *base;
    recalled.current.members = carriers(roster, *base);
    return recalled;
  }
  if (base != nullptr && !all_switched(roster, *base)) {
    take_up_half_switched(roster, past, *base, recalled);
    return recalled;
  }
  if (base != nullptr) {
    recalled.current = *base;
    recalled.intact = true;
  } else if (newest) {  // its plan is forgotten: those who trained in it recover together
    recalled.current.epoch = newest;
    for (const auto& [number, task] : roster.tasks) {
      bool carries = task.status.epoch == newest && is_alive(roster, number);
      if (carries) recalled.current.members.push_back(number);
    }
    return recalled;
  }
  if (!past.plans.empty() &&
      past.plans.rbegin()->first > std::max({dead, newest, newest_before(all)})) {
    recalled.planned = past.plans.rbegin()->second;
  }
  return recalled;
}

}  // namespace wm::elastic
