// Passing on, with a memory just long enough for a lost connection on either side.
#include "libwm/elastic/member.h"

#include <algorithm>

#include "libwm/elastic/status.h"

namespace wm::elastic {
namespace {

constexpr std::size_t kPlansKept = 4;  // in force, in flight, and their predecessors

}  // namespace

std::uint32_t Member::cap() const {
  std::uint32_t cap = 0;
  for (const auto& [task, worker] : workers_) {
    if (worker.max_tasks != 0) cap = cap == 0 ? worker.max_tasks : std::min(cap, worker.max_tasks);
  }
  return cap;
}

void Member::greet(const WorkerHello& hello, MemberOutput& out) {
  Worker& worker = workers_[hello.task];
  worker.status.task = hello.task;
  auto before = cap();
  worker.max_tasks = hello.max_tasks;
  if (!std::exchange(worker.seen, true)) out.facts.push_back(WorkerSeen{hello.task});
  if (cap() != before) out.facts.push_back(WorkersCapped{cap()});
  if (worker.told) out.workers.push_back({hello.task, *worker.told});
  if (standing_) out.workers.push_back({hello.task, WorkerStand{true}});
}

MemberOutput Member::on_worker(const WorkerSaid& said) {
  MemberOutput out;
  if (std::ranges::find(gone_, said.task) != gone_.end()) return out;
  Worker& worker = workers_[said.task];
  worker.status.task = said.task;
  auto trainings = worker.status.trainings;
  merge(worker.status, said.words);
  if (worker.status.trainings > trainings) worker.told.reset();  // that was of the one before
  if (auto* hello = std::get_if<WorkerHello>(&said.words)) greet(*hello, out);
  out.lead.push_back(said);
  return out;
}

MemberOutput Member::on_gone(const TaskGone& gone) {
  MemberOutput out;
  if (std::ranges::find(gone_, gone.task) != gone_.end()) return out;
  gone_.push_back(gone.task);
  out.lead.push_back(gone);
  return out;
}

void Member::remember(const TellWorker& tell) {
  workers_[tell.task].told = tell.words;
  workers_[tell.task].status.task = tell.task;
  if (auto* plan = std::get_if<EpochPlan>(&tell.words)) {
    plans_.emplace(plan->epoch, *plan);
    while (plans_.size() > kPlansKept) plans_.erase(plans_.begin());
  } else if (auto* broken = std::get_if<EpochBroken>(&tell.words)) {
    broken_ = std::max(broken_, broken->epoch);
  } else if (auto* withdrawn = std::get_if<EpochWithdrawn>(&tell.words)) {
    withdrawn_ = std::max(withdrawn_, withdrawn->epoch);
  }
}

MemberOutput Member::on_lead(const LeadToAgent& words, TimePoint now) {
  MemberOutput out;
  auto number = std::visit([](const auto& w) { return w.lead; }, words);
  if (number < lead_) return out;
  obey(number);
  hear_lead(now);
  if (auto* tell = std::get_if<TellWorker>(&words)) {
    remember(*tell);
    out.workers.push_back({tell->task, tell->words});
  }
  return out;
}

MemberOutput Member::on_checkpoint(const WorkerCheckpoint& words) const {
  MemberOutput out;
  for (const auto& [task, worker] : workers_) out.workers.push_back({task, words});
  return out;
}

MemberOutput Member::on_tick(TimePoint now) {
  MemberOutput out;
  bool stand = now - std::max(lead_heard_, master_heard_) > kStandAfter;
  if (std::exchange(standing_, stand) == stand) return out;
  for (const auto& [task, worker] : workers_) out.workers.push_back({task, WorkerStand{stand}});
  return out;
}

AgentStatus Member::status() const {
  AgentStatus status{host_, lead_, {}, gone_, {}, broken_, withdrawn_};
  for (const auto& [task, worker] : workers_) status.workers.push_back(worker.status);
  for (const auto& [epoch, plan] : plans_) status.plans.push_back(plan);
  return status;
}

std::vector<AgentFact> Member::facts() const {
  std::vector<AgentFact> facts;
  for (const auto& [task, worker] : workers_) {
    if (worker.seen) facts.push_back(WorkerSeen{task});
  }
  if (cap() != 0) facts.push_back(WorkersCapped{cap()});
  return facts;
}

}  // namespace wm::elastic
