#include "libwm/trainer/standing.h"

#include <algorithm>

namespace wm::trainer {

void Standing::note(const FromWorker& said) {
  if (std::holds_alternative<WorkerReady>(said)) {
    ready_ = {said};
  } else if (auto* c = std::get_if<WorkerConnected>(&said)) {
    connected_ = *c;
  } else if (auto* s = std::get_if<WorkerSwitched>(&said)) {
    switched_ = *s;
    planned_ = std::max(planned_, s->epoch);
  } else if (auto* f = std::get_if<WorkerFaulted>(&said)) {
    faulted_ = *f;
  } else if (std::holds_alternative<WorkerLeft>(said) || std::holds_alternative<WorkerDone>(said)) {
    done_ = {said};
  }
}

std::vector<FromWorker> Standing::again() const {
  if (is_reporter()) return {};
  std::vector<FromWorker> words{hello_};
  words.insert(words.end(), ready_.begin(), ready_.end());
  if (switched_.epoch) words.emplace_back(switched_);
  if (connected_.epoch > std::max(switched_.epoch, dead_)) words.emplace_back(connected_);
  if (faulted_.epoch >= std::max(switched_.epoch, EpochNumber{1})) words.emplace_back(faulted_);
  words.insert(words.end(), done_.begin(), done_.end());
  return words;
}

bool Standing::admits_plan(const EpochPlan& plan) {
  if (plan.epoch <= std::max(dead_, planned_) || plan.lead < lead_) return false;
  planned_ = plan.epoch;
  lead_ = plan.lead;
  return true;
}

bool Standing::admits(const ToWorker& heard) {
  if (auto* plan = std::get_if<EpochPlan>(&heard)) return admits_plan(*plan);
  if (auto* w = std::get_if<EpochWithdrawn>(&heard)) dead_ = std::max(dead_, w->epoch);
  if (auto* b = std::get_if<EpochBroken>(&heard)) dead_ = std::max(dead_, b->epoch);
  return true;
}

}  // namespace wm::trainer
