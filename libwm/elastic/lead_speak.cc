// Lead: what each worker should have heard last, and what the master is told. Words follow from
// the state alone; `told` only keeps them from being repeated for nothing.
#include <algorithm>

#include "libwm/elastic/lead.h"
#include "libwm/elastic/status.h"

namespace wm::elastic {
namespace {

Words words_of(ToWorker words) { return std::make_shared<const ToWorker>(std::move(words)); }

}  // namespace

/// It agreed to leave for the epoch in force and may still be in its last all-reduce. The others
/// have the result: told anything, it would lose that step. It ends by itself, or its grace does.
bool Lead::is_on_its_way(const WorkerStatus& status) const {
  return trains(status) && status.epoch < current_.epoch && status.connected >= current_.epoch;
}

Lead::Groups Lead::groups() const {
  Groups groups;
  groups.current = TaskSet(current_.members);
  if (plan_) groups.planned = TaskSet(plan_->plan.members);
  if (recovery_) groups.recovering = TaskSet(recovery_->group);
  groups.withdrawn = TaskSet(withdrawn_.members);
  groups.finishing = is_finishing(roster_);
  return groups;
}

bool Lead::is_past_withdrawal(TaskNumber number) const {
  return find(roster_, number).status.epoch >= withdrawn_.epoch;
}

Words Lead::words_for_outsider(TaskNumber number, const Groups& groups) const {
  const Task& task = find(roster_, number);
  if (task.status.trainings < roster_.trainings && !task.status.rendezvous.empty())
    return words_of(WorkerLeave{"the program is in another training", roster_.trainings});
  if (is_on_its_way(task.status)) return nullptr;
  if (trains(task.status))
    return words_of(EpochBroken{task.status.epoch, "the job went on without it"});
  if (groups.finishing) return words_of(WorkerLeave{"the training is complete"});
  if (task.leaving) return words_of(WorkerLeave{"the task is not wanted any more"});
  bool withdrawn = groups.withdrawn.has(number) && !is_past_withdrawal(number);
  return withdrawn ? withdrawn_.words : nullptr;
}

Words Lead::words_for(TaskNumber number, const Groups& groups) const {
  const auto& status = find(roster_, number).status;
  bool in_group = groups.current.has(number);
  if (recovery_ && groups.recovering.has(number)) {
    if (status.faulted >= recovery_->broken) return nullptr;
    return words_of(EpochBroken{recovery_->broken, recovery_->reason});
  }
  if (plan_ && (groups.planned.has(number) || (in_group && intact_)))
    return status.epoch >= plan_->plan.epoch ? nullptr : plan_->words;
  if (!in_group) return words_for_outsider(number, groups);
  bool withdrawn = groups.withdrawn.has(number) && !is_past_withdrawal(number);
  return withdrawn ? withdrawn_.words : nullptr;
}

void Lead::speak() {
  const Groups now = groups();
  for (auto& [number, task] : roster_.tasks) {
    if (task.gone || task.status.left || task.status.done || is_lost(roster_, task)) continue;
    auto words = words_for(number, now);
    if (!words || is_same(words, task.told)) continue;
    say(number, std::move(words));
  }
}

void Lead::say(TaskNumber number, Words words) {
  Task& task = roster_.tasks[number];
  if (!task.host) return;  // known by its end only
  out_.tell.push_back({task.host, {this->number(), number, *words}});
  task.told = std::move(words);
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
