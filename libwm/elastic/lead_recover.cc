// Lead: from the loss of a member to the emergency plan (PROTOCOL L-5, L-9).
#include <algorithm>
#include <set>

#include "libwm/elastic/hang.h"
#include "libwm/elastic/lead.h"
#include "libwm/elastic/status.h"

namespace wm::elastic {

std::optional<std::string> Lead::find_break_in(const std::vector<TaskNumber>& members,
                                               EpochNumber epoch) const {
  for (auto m : members) {
    const auto& status = find(roster_, m).status;
    if (status.left || status.done) continue;
    if (is_failed(roster_, m)) return "lost " + describe(roster_, m);
    if (status.faulted >= epoch) return "a collective failed on " + describe(roster_, m);
  }
  return std::nullopt;
}

std::optional<std::string> Lead::find_break() const {
  if (intact_) {
    if (auto why = find_break_in(current_.members, current_.epoch)) return why;
  }
  if (plan_ && (plan_->plan.emergency || somebody_switched())) {
    if (auto why = find_break_in(plan_->plan.members, plan_->plan.epoch)) return why;
  }
  for (const auto& [number, task] : roster_.tasks) {
    bool stray =
        is_present(roster_, number) && trains(task.status) && task.status.epoch > current_.epoch;
    if (stray && !(plan_ && plan_->plan.epoch == task.status.epoch)) {
      return describe(roster_, number) + " switched to a withdrawn epoch";
    }
  }
  return std::nullopt;
}

void Lead::start_recovery(std::string reason, TimePoint now) {
  Recovery recovery{last_, std::move(reason), current_.members, {}};
  std::set<TaskNumber> known(current_.members.begin(), current_.members.end());
  auto add = [&](TaskNumber m) {
    if (known.insert(m).second) recovery.group.push_back(m);
  };
  if (plan_) {
    for (auto m : plan_->plan.members) {
      if (find(roster_, m).status.epoch == plan_->plan.epoch) add(m);
    }
    withdraw(recovery.reason);
  }
  for (const auto& [number, task] : roster_.tasks) {
    bool stray = trains(task.status) && task.status.epoch > current_.epoch;
    if (stray && is_present(roster_, number)) add(number);
  }
  for (auto m : recovery.group) {
    newest_step_ = std::max(newest_step_, find(roster_, m).status.step);
  }
  recovery.deadline = now + hang_limit(roster_, recovery.group);
  intact_ = false;
  recovery_ = std::move(recovery);
}

bool Lead::await_answers(const std::vector<TaskNumber>& rest, TimePoint now) {
  bool expelled = false;
  for (auto m : rest) {
    if (find(roster_, m).status.faulted >= recovery_->broken) continue;
    if (now < recovery_->deadline || is_lost(roster_, find(roster_, m))) continue;
    expel(m, "does not leave its broken group");
    expelled = true;
  }
  return expelled;
}

bool Lead::somebody_may_train() const {
  return std::ranges::any_of(recovery_->group, [&](TaskNumber m) {
    const Task& task = find(roster_, m);
    bool ended = task.gone || task.expelled || task.status.left || task.status.done;
    return !ended && task.listed;
  });
}

bool Lead::recover(TimePoint now) {
  std::vector<TaskNumber> rest;
  for (auto m : recovery_->group) {
    const auto& status = find(roster_, m).status;
    if (!is_failed(roster_, m) && !status.left && !status.done) rest.push_back(m);
  }
  bool all = std::ranges::all_of(
      rest, [&](TaskNumber m) { return find(roster_, m).status.faulted >= recovery_->broken; });
  if (!all) return await_answers(rest, now);
  if (rest.empty() && somebody_may_train()) return false;
  std::string reason = std::move(recovery_->reason);
  recovery_.reset();
  if (rest.empty()) {  // nobody carries the state any more: the next epoch starts anew
    current_ = {};
    current_.epoch = last_;  // a member that still trains in an older epoch is stale
    return true;
  }
  Choice choice = choose_survivors(roster_, rest);
  current_.members = choice.members;
  current_.reason = reason;
  return publish(choice, {EpochCause::Loss, std::move(reason)}, now);
}

}  // namespace wm::elastic
