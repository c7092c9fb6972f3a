// Lead: a plan from its publication to its forming or withdrawal (PROTOCOL L-7, L-8, L-10).
#include <algorithm>

#include "libwm/elastic/hang.h"
#include "libwm/elastic/lead.h"

namespace wm::elastic {
namespace {

constexpr Duration kBackoff = std::chrono::milliseconds(500);  // doubled at each setback
constexpr unsigned kMostDoublings = 4;

std::string reason_of(const Choice& choice, const std::vector<TaskNumber>& current) {
  bool joins = choice.members.size() > choice.survivors;
  bool leaves = choice.survivors < current.size();
  return joins && leaves ? "grow and shrink" : joins ? "grow" : "shrink";
}

}  // namespace

bool Lead::propose(TimePoint now) {
  if (now < not_before_) return false;
  if (!intact_ && !current_.members.empty()) {  // an emergency plan was withdrawn
    start_recovery(current_.reason, now);
    return true;
  }
  if (is_finishing(roster_)) return false;
  if (current_.members.empty()) return propose_first(now);
  Choice choice = choose_next(roster_, current_.members);
  if (choice.members == current_.members) return false;
  return publish(choice, {EpochCause::Resize, reason_of(choice, current_.members)}, now);
}

bool Lead::propose_first(TimePoint now) {
  if (!roster_.may_drop) return false;  // another lead may be starting the job (PROTOCOL L-5)
  Choice choice = choose_first(roster_);
  if (choice.members.empty()) {
    first_ready_.reset();
    return false;
  }
  if (!first_ready_) first_ready_ = now;
  bool waited = now - *first_ready_ >= roster_.order.start_window;
  if (!waited && !is_complete(roster_)) return false;
  return publish(choice, {EpochCause::Start, "start"}, now);
}

bool Lead::publish(const Choice& choice, Ground ground, TimePoint now) {
  EpochPlan plan;
  plan.epoch = EpochNumber{++last_.value};
  plan.lead = number();
  plan.members = choice.members;
  plan.rendezvous = find(roster_, choice.members.front()).status.rendezvous;
  plan.emergency = ground.cause == EpochCause::Loss;
  plan.cause = ground.cause;
  plan.reason = std::move(ground.reason);
  plan.survivors = choice.survivors;
  auto words = std::make_shared<const ToWorker>(plan);
  plan_ = InFlight{std::move(plan), std::move(words), now + roster_.order.connect_limit,
                   choice.keeps_leavers};
  return true;
}

bool Lead::somebody_switched() const {
  return std::ranges::any_of(plan_->plan.members, [&](TaskNumber m) {
    return find(roster_, m).status.epoch == plan_->plan.epoch;
  });
}

bool Lead::everybody_switched() const {
  return std::ranges::all_of(plan_->plan.members, [&](TaskNumber m) {
    const Task& task = find(roster_, m);
    return !is_failed(roster_, m) && task.status.epoch == plan_->plan.epoch &&
           task.status.faulted < plan_->plan.epoch;
  });
}

bool Lead::is_outdated() const {
  if (plan_->plan.emergency) return false;
  if (is_finishing(roster_)) return true;
  if (plan_->keeps_leavers) return false;
  return !std::ranges::all_of(plan_->plan.members,
                              [&](TaskNumber m) { return is_wanted(roster_, m); });
}

bool Lead::follow_plan(TimePoint now) {
  if (somebody_switched()) return false;  // find_break watches over it now
  const EpochPlan& plan = plan_->plan;
  for (auto m : plan.members) {
    if (is_failed(roster_, m) || find(roster_, m).status.faulted >= plan.epoch) {
      withdraw("lost " + describe(roster_, m));
      return true;
    }
    if (find(roster_, m).connect_failed == plan.epoch) {
      blame(now);
      return true;
    }
  }
  if (plan_->deadline && is_outdated()) {
    withdraw("the wanted tasks have changed");
    return true;
  }
  auto connected = [&](TaskNumber m) { return find(roster_, m).status.connected >= plan.epoch; };
  auto ready = [&](TaskNumber m) { return connected(m) || find(roster_, m).status.left; };
  bool all = std::ranges::all_of(plan.members, connected);
  if (intact_) all = all && std::ranges::all_of(current_.members, ready);
  if (all) plan_->deadline.reset();
  if (!plan_->deadline || now < *plan_->deadline) return false;
  blame(now);
  return true;
}

void Lead::withdraw(std::string reason) {
  const EpochNumber epoch = plan_->plan.epoch;
  auto words = std::make_shared<const ToWorker>(EpochWithdrawn{epoch, std::move(reason)});
  withdrawn_ = {epoch, std::move(words), plan_->plan.members};
  const TaskSet planned(withdrawn_.members);
  for (auto m : current_.members) {
    if (!planned.has(m)) withdrawn_.members.push_back(m);
  }
  plan_.reset();
  for (auto m : withdrawn_.members) {  // said even when another plan follows at once
    Task& task = roster_.tasks[m];
    if (!task.gone && !is_past_withdrawal(m) && !is_same(task.told, withdrawn_.words)) {
      say(m, withdrawn_.words);
    }
  }
}

void Lead::blame(TimePoint now) {
  const EpochPlan plan = plan_->plan;
  auto connected = [&](TaskNumber m) { return find(roster_, m).status.connected >= plan.epoch; };
  auto silent = [&](TaskNumber m) {  // stopped or starved: newcomers are not to blame
    const Task& task = find(roster_, m);
    auto heard = std::max(task.progress_at, task.still_since);
    return intact_ && !connected(m) && now - heard > kProgressStale;
  };
  std::vector<TaskNumber> suspects(plan.members.begin() + plan.survivors, plan.members.end());
  if (std::ranges::any_of(suspects, std::not_fn(connected))) {
    std::erase_if(suspects, connected);
  }
  if (std::ranges::any_of(current_.members, silent)) suspects.clear();
  const TaskSet planned(plan.members);
  for (auto m : current_.members) {  // a leaver that has not acknowledged stands in the way first
    if (!intact_ || planned.has(m) || connected(m)) continue;
    report_faulty(m, "does not answer the request to leave");
    suspects.clear();
  }
  if (plan.emergency) {
    for (auto m : plan.members) {
      if (!connected(m) && find(roster_, m).connect_failed != plan.epoch) suspects.push_back(m);
    }
  }
  for (auto m : suspects) {
    if (++roster_.tasks[m].tries < kConnectTries) continue;
    expel(m, "could not connect to epoch " + std::to_string(plan.epoch.value) + " in " +
                 std::to_string(kConnectTries) + " tries");
  }
  withdraw("not connected in time");
  not_before_ = now + kBackoff * (1 << std::min(setbacks_++, kMostDoublings));
}

void Lead::form() {
  const EpochPlan plan = plan_->plan;
  std::optional<std::uint64_t> step;  // none if the words were lost with a connection
  for (auto m : plan.members) {
    const auto& switched = find(roster_, m).switched;
    if (switched.epoch == plan.epoch) step = std::min(step.value_or(switched.step), switched.step);
    roster_.tasks[m].tries = 0;
  }
  EpochFormed fact{plan.epoch, number(),    plan.members, step.value_or(newest_step_), {}, false,
                   0,          plan.reason, plan.cause};
  if (newest_step_ > fact.step) {
    fact.steps_lost = static_cast<std::uint32_t>(newest_step_ - fact.step);
  }
  std::vector<TaskNumber> survivors(plan.members.begin(), plan.members.begin() + plan.survivors);
  formed_ = Formed{fact, std::move(survivors), false};
  current_ = plan;
  intact_ = true;
  plan_.reset();
  recovery_.reset();
  newest_step_ = 0;
  setbacks_ = 0;
  not_before_ = {};
}

}  // namespace wm::elastic
