// Lead: what each worker should have heard last, and what the master is told. Words follow from
// the state alone; `told` only keeps them from being repeated for nothing.
#include <algorithm>

#include "libwm/elastic/lead.h"
#include "libwm/elastic/status.h"

namespace wm::elastic {

/// It agreed to leave for the epoch in force and may still be in its last all-reduce, whose result
/// the others have: told anything, it would lose that step. It ends by itself, or its grace does.
bool Lead::is_on_its_way(const WorkerStatus& status) const {
  return trains(status) && status.epoch < current_.epoch && status.connected >= current_.epoch;
}

std::optional<ToWorker> Lead::words_for_outsider(TaskNumber number) const {
  const Task& task = find(roster_, number);
  if (is_on_its_way(task.status)) return std::nullopt;
  if (trains(task.status)) return EpochBroken{task.status.epoch, "the job went on without it"};
  if (is_finishing(roster_)) return WorkerLeave{"the training is complete"};
  if (task.leaving) return WorkerLeave{"the task is not wanted any more"};
  return withdrawal_for(number);
}

std::optional<ToWorker> Lead::withdrawal_for(TaskNumber number) const {
  bool past = find(roster_, number).status.epoch >= withdrawn_.words.epoch;
  if (past || !contains(withdrawn_.members, number)) return std::nullopt;
  return withdrawn_.words;
}

std::optional<ToWorker> Lead::words_for(TaskNumber number) const {
  const auto& status = find(roster_, number).status;
  bool in_group = contains(current_.members, number);
  if (recovery_ && contains(recovery_->group, number)) {
    if (status.faulted >= recovery_->broken) return std::nullopt;
    return EpochBroken{recovery_->broken, recovery_->reason};
  }
  if (plan_ && (contains(plan_->plan.members, number) || (in_group && intact_))) {
    if (status.epoch >= plan_->plan.epoch) return std::nullopt;
    return plan_->plan;
  }
  return in_group ? withdrawal_for(number) : words_for_outsider(number);
}

void Lead::speak() {
  for (auto& [number, task] : roster_.tasks) {
    if (task.gone || task.status.left || task.status.done || is_lost(roster_, task)) continue;
    auto words = words_for(number);
    if (!words || words == task.told) continue;
    say(number, *words);
  }
}

void Lead::say(TaskNumber number, const ToWorker& words) {
  Task& task = roster_.tasks[number];
  if (!task.host) return;  // known by its end only
  out_.tell.push_back({task.host, {this->number(), number, words}});
  task.told = words;
}

void Lead::report_formed() {
  if (!formed_) return;
  auto& fact = formed_->fact;
  bool known = true;
  fact.pause = {};
  for (auto m : formed_->survivors) {
    const auto& switched = find(roster_, m).switched;
    known = known && switched.epoch == fact.epoch && switched.pause_known;
    if (switched.epoch == fact.epoch) fact.pause = std::max(fact.pause, switched.pause);
  }
  fact.pause_known = known;
  if (known || !std::exchange(formed_->said, true)) out_.facts.push_back(fact);
  if (known) formed_.reset();
}

}  // namespace wm::elastic
