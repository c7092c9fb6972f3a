// Events are noted as facts, then react() moves the machine as far as the facts allow.
#include "libwm/elastic/lead.h"

#include <algorithm>

#include "libwm/elastic/hang.h"

namespace wm::elastic {
namespace {

/// After a time without the master another lead may have been appointed: so long its word is
/// awaited.
constexpr Duration kTrust = kAgentSilence;
/// A member that hangs is named first: the master has its stacks printed and ends it. So long its
/// end is awaited; without a master nobody does.
constexpr Duration kNamed = std::chrono::seconds(5);
/// Of more tasks than this what each says when all say it is gathered until the next tick.
constexpr std::size_t kManyTasks = 256;
constexpr int kMovesPerEvent = 100;  // each move consumes a fact; more would be a loop of ours

}  // namespace

Lead::Lead(const AgentOrder& order, TimePoint now)
    : born_(now), master_at_(now), heard_since_(now - kTrust) {
  roster_.self = order.lead_host;
  roster_.agents[order.lead_host] = {now, false, false};
  note_order(roster_, order, now);
}

LeadOutput Lead::on(const LeadEvent& event, TimePoint now) {
  bool report = is_report(event);
  std::visit([&](const auto& e) { take(e, now); }, event);
  if (!deposed_ && !report) react(now);
  return std::exchange(out_, {});
}

/// A word that the next tick may look at: what only time gives a meaning, and in a large job one of
/// the thousands that say the same, for which nobody waits. That of a host that was silent counts
/// at once.
bool Lead::is_report(const LeadEvent& event) const {
  auto* from = std::get_if<FromAgent>(&event);
  if (from == nullptr || is_silent(roster_, from->host)) return false;
  if (std::holds_alternative<Heartbeat>(from->words)) return true;
  auto* said = std::get_if<WorkerSaid>(&from->words);
  if (said == nullptr) return false;
  const auto& words = said->words;
  bool of_many = std::holds_alternative<WorkerHello>(words) ||
                 std::holds_alternative<WorkerReady>(words) ||
                 std::holds_alternative<WorkerConnected>(words) ||
                 std::holds_alternative<WorkerSwitched>(words);
  return std::holds_alternative<WorkerProgress>(words) ||
         (of_many && roster_.order.tasks.size() > kManyTasks);
}

void Lead::take(const AgentOrder& order, TimePoint now) {
  if (order.lead > number()) deposed_ = true;
  if (order.lead != number() || order.generation < roster_.order.generation) return;
  note_order(roster_, order, now);
  miss_unlisted();
  last_ = std::max(last_, order.last_epoch);
}

/// A member that the master lists no more has ended: its host has said so, and nobody else may,
/// since what ended it can have ended its agent, too (PROTOCOL.md, L-9). One that the plan in
/// flight leaves out has left: if it has not, the others cannot switch, and say so.
void Lead::miss_unlisted() {
  const bool leaves = plan_ && !plan_->plan.emergency;
  const TaskSet planned(plan_ ? plan_->plan.members : std::vector<TaskNumber>{});
  auto look = [&](const std::vector<TaskNumber>& members) {
    for (auto m : members) {
      if (find(roster_, m).listed) continue;
      note_gone(roster_, {m, "its host has it no more"});
      if (leaves && !planned.has(m)) roster_.tasks[m].status.left = true;
    }
  };
  look(current_.members);
  if (plan_) look(plan_->plan.members);
  if (recovery_) look(recovery_->group);
}

void Lead::take(const FromAgent& from, TimePoint now) {
  roster_.agents[from.host].heard = now;
  if (auto* status = std::get_if<AgentStatus>(&from.words)) {
    deposed_ = deposed_ || status->lead > number();
    note_status(roster_, *status, now);
    if (!gathered_) note_past(past_, *status);
  } else if (auto* said = std::get_if<WorkerSaid>(&from.words)) {
    note_words(roster_, from.host, *said, now);
    bool first = !current_.members.empty() && current_.members.front() == said->task;
    if (first) report_progress(said->words);
  } else if (auto* gone = std::get_if<TaskGone>(&from.words)) {
    note_gone(roster_, *gone);
  }
}

/// Rank 0's words once a second; and its last step, which came after the last of them.
void Lead::report_progress(const FromWorker& words) {
  auto world = static_cast<std::uint32_t>(current_.members.size());
  if (auto* progress = std::get_if<WorkerProgress>(&words)) {
    out_.facts.push_back(JobProgress{*progress, world});
  } else if (auto* done = std::get_if<WorkerDone>(&words)) {
    WorkerProgress last = find(roster_, current_.members.front()).progress;
    bool known = last.epoch && last.step < done->step;
    last.step = std::max(last.step, done->step);
    if (known) out_.facts.push_back(JobProgress{last, world});
  }
}

void Lead::take(const NodeHeartbeat& beat, TimePoint now) {
  master_at_ = now;
  if (beat.master == MasterSeen::Silent) heard_since_.reset();
  if (beat.master == MasterSeen::Heard && !heard_since_) heard_since_ = now;
}

void Lead::react(TimePoint now) {
  if (now - master_at_ > kAgentSilence) heard_since_.reset();
  note_silence(roster_, heard_since_ && now - *heard_since_ >= kTrust, now);
  if (!gather(now)) return;
  follow_program();
  watch(now);
  for (int moves = 0; advance(now); ++moves) WM_CHECK(moves < kMovesPerEvent);
  report_formed();
  speak();
}

/// A worker's program has begun another training: nobody carries a state of that one, and what was
/// left of the one before is over.
void Lead::follow_program() {
  if (roster_.trainings == std::exchange(trainings_, roster_.trainings)) return;
  if (plan_) withdraw("the program begins another training");
  recovery_.reset();
  formed_.reset();
  first_ready_.reset();
  current_ = {};
  current_.epoch = last_;
  intact_ = false;
  newest_step_ = 0;
}

/// Somebody heard has trained in the newest epoch that the master knows of.
bool Lead::knows_newest() const {
  return std::ranges::any_of(roster_.tasks, [&](const auto& t) {
    return t.second.status.epoch >= roster_.order.last_epoch;
  });
}

bool Lead::gather(TimePoint now) {
  if (gathered_) return true;
  bool all = std::ranges::all_of(
      roster_.order.tasks, [&](const WantedTask& w) { return roster_.agents[w.host].status; });
  if (!all && (now - born_ <= kAgentSilence || !knows_newest())) return false;
  gathered_ = true;
  trainings_ = roster_.trainings;
  Recalled recalled = rebuild(roster_, past_);
  last_ = recalled.last;
  if (last_ || number().value > 1) {
    auto block = (last_.value + kLeadBlock - 1) / kLeadBlock + number().value - 1;
    last_ = EpochNumber{block * kLeadBlock};
  }
  current_ = recalled.current;
  intact_ = recalled.intact;
  if (recalled.planned)
    plan_ = InFlight{*recalled.planned, std::make_shared<const ToWorker>(*recalled.planned),
                     now + roster_.order.connect_limit, true};
  miss_unlisted();
  bool broken = !intact_ && !plan_ && !current_.members.empty();
  if (broken) start_recovery("a new lead took over", now);
  if (intact_ && current_.epoch > roster_.order.last_epoch) {
    EpochFormed fact{current_.epoch,  number(),      current_.members, 0, {}, false, 0,
                     current_.reason, current_.cause};
    formed_ = Formed{fact, {}, false};
  }
  return true;
}

bool Lead::advance(TimePoint now) {
  if (plan_ && everybody_switched()) {
    form();
    return true;
  }
  if (recovery_) return recover(now);
  if (auto reason = find_break()) {
    start_recovery(*reason, now);
    return true;
  }
  return plan_ ? follow_plan(now) : propose(now);
}

void Lead::watch(TimePoint now) {
  if (!intact_ || recovery_) return;
  auto hung = find_hung(roster_, current_.members, now);
  if (!hung) return;
  Task& task = roster_.tasks[*hung];
  if (!task.named_at) {
    task.named_at = now;
    task.reason = "has not entered a collective for " +
                  format_duration(hang_limit(roster_, current_.members));
    report_faulty(*hung, task.reason);
  } else if (now - *task.named_at >= kNamed) {
    expel(*hung, std::string(task.reason));
  }
}

void Lead::expel(TaskNumber task, const std::string& reason) {
  Task& record = roster_.tasks[task];
  record.expelled = true;
  record.reason = reason;
  report_faulty(task, reason);
}

void Lead::report_faulty(TaskNumber task, const std::string& reason) {
  Task& record = roster_.tasks[task];
  if (std::exchange(record.reported, true)) return;
  out_.facts.push_back(TaskFaulty{task, reason});
}

}  // namespace wm::elastic
