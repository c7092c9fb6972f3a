#include "daemons/wmasterd/state/cycle.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "daemons/wmasterd/hosts/orders.h"
#include "daemons/wmasterd/state/group_ports.h"
#include "libwm/base/log.h"
#include "libwm/fsm/first_host.h"
#include "libwm/model/groups.h"
#include "libwm/model/master_rank.h"
#include "libwm/sched/admit.h"
#include "libwm/sched/schedule.h"

namespace wm::master {
namespace {

// Numbers go up from the job's last task. `added`: the job runs already.
std::vector<Task> made_tasks(const Cluster& cluster, const Job& job,
                             const std::vector<sched::Spot>& spots, bool added, GroupPorts& ports) {
  auto launch = launch_of(*cluster.config, job.spec());
  auto numbers = added ? next_numbers(job, static_cast<std::uint32_t>(spots.size()))
                       : std::vector<TaskNumber>();
  std::set<HostId> launched;  // hosts that have their process
  for (const auto& task : job.tasks)
    if (added && task.has_process && task.holds_slot()) launched.insert(task.host);
  std::vector<Task> tasks;
  for (const auto& spot : spots) {
    Task task;
    auto nth = static_cast<std::uint32_t>(tasks.size());
    task.number = added ? numbers[nth] : TaskNumber{nth + 1};
    task.host = spot.host;
    task.gpus = spot.gpus;
    if (job.id.index && !job.sealed->spec.groups.empty()) task.port = ports.next(task.host);
    bool first_there = launched.insert(task.host).second;
    task.has_process = launch == Launch::PerSlot || task.number.value == 1 ||
                       (launch == Launch::PerHost && first_there);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

sched::SchedPolicy policy_of(const Config& config) {
  sched::SchedPolicy policy;
  policy.backfill = config.cluster.sched.backfill;
  policy.max_promises = config.cluster.sched.promises;
  policy.promise_tolerance = config.cluster.sched.promise_tolerance;
  return policy;
}

}  // namespace

const std::vector<PendReason>* find_reasons(const PendReasons& all, JobId job) {
  auto at =
      std::lower_bound(all.begin(), all.end(), job,
                       [](const sched::PendingJob& w, JobId wanted) { return w.job < wanted; });
  return at != all.end() && at->job == job ? at->reasons.get() : nullptr;
}

void Cycle::wake() {
  wanted_ = true;
  if (!running_) run();
}

void Cycle::set_loaded(std::shared_ptr<const sched::LoadedHosts> loaded) {
  if (std::exchange(loaded_, loaded) != loaded) wake();
}

void Cycle::run() {
  running_ = true;
  wanted_ = false;
  auto plan = std::make_shared<sched::Plan>();
  auto state = journal_.published_ptr();
  auto policy = policy_of(*state->config);
  policy.loaded = loaded_;
  workers_.work([plan, memory = memory_, state, policy = std::move(policy),
                 now = clock_.wall()] { *plan = sched::schedule(*state, policy, now, *memory); },
                [this, plan, begun = clock_.mono()] {
                  passes_.add(std::chrono::duration<double>(clock_.mono() - begun).count());
                  take(std::move(*plan));
                  running_ = false;
                  if (wanted_) run();
                });
}

void Cycle::take(sched::Plan plan) {
  reasons_ = std::make_shared<const PendReasons>(std::move(plan.waiting));
  look_again(plan.look_again);
  auto events = events_of(sched::admit(journal_.newest(), plan));
  if (events.empty()) return;
  auto results = journal_.propose({events, {}, {}, nullptr});
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) refusals_.forget(job_of(events[i]));
    else if (journal_.works()) refusals_.note(events[i], results[i].error());
  }
}

void Cycle::record_waits() {
  constexpr std::size_t kVeryMany = 20'000;
  auto period = std::chrono::seconds(reasons_->size() > kVeryMany ? 5 : 1);
  bool changed = recorded_of_ != reasons_ || (again_ && clock_.mono() >= *again_);
  if (!changed || clock_.mono() - recorded_at_ < period) return;
  recorded_at_ = clock_.mono();
  recorded_of_ = reasons_;
  if (auto events = changed_waits(); !events.empty())
    journal_.propose({std::move(events), {}, {}, nullptr});
}

// A day of many thousands of jobs with reasons that flip may write some millions of them.
void Cycle::refill() {
  constexpr double kPerSecond = 20;
  auto now = clock_.mono();
  auto passed = std::chrono::duration<double>(now - std::exchange(refilled_, now)).count();
  allowance_ = std::min(kMostAllowance, allowance_ + kPerSecond * std::max(0.0, passed));
}

Cycle::Recorded Cycle::recorded(JobId job, std::string codes, const Recorded* before) const {
  constexpr Duration kFirst = std::chrono::seconds(1), kLongest = std::chrono::hours(1);
  auto pause = before ? std::min(2 * before->pause, kLongest) : kFirst;
  return {job, std::move(codes), clock_.mono() + pause, pause};
}

// One event for up to 1,000 jobs that share their reasons.
std::vector<EventBody> Cycle::changed_waits() {
  constexpr std::size_t kMost = 10'000, kTogether = 1000;
  std::size_t count = 0;
  again_.reset();
  refill();
  std::map<const void*, std::size_t> open;  // which of `waits` takes more jobs
  std::vector<WaitRecorded> waits;
  std::vector<Recorded> known;
  auto before = recorded_.begin();  // both lists go by rising job
  for (const auto& [id, reasons] : *reasons_) {
    const Job* job = find_job(journal_.newest(), id);
    if (!job || (job->state != JobState::Pending && job->state != JobState::Array)) continue;
    while (before != recorded_.end() && before->job < id) ++before;
    bool had = before != recorded_.end() && before->job == id;
    std::string codes;
    for (const auto& reason : *reasons) codes += static_cast<char>(reason.code);
    bool same = had && before->codes == codes;
    bool young = clock_.wall() - job->times.submitted < std::chrono::seconds(1);
    auto from = had ? std::max(before->not_before, clock_.mono()) : clock_.mono();
    bool wait = young || count >= kMost || allowance_ < 1 || from > clock_.mono();
    if (had && (same || wait)) known.push_back(*before);
    if (same) continue;
    if (wait) again_ = std::min(again_.value_or(from), from);
    if (wait) continue;
    ++count;
    --allowance_;
    known.push_back(recorded(id, std::move(codes), had ? &*before : nullptr));
    auto [at, is_new] = open.try_emplace(reasons.get(), waits.size());
    if (is_new) waits.push_back({{}, *reasons});
    waits[at->second].jobs.push_back(id);
    if (waits[at->second].jobs.size() == kTogether) open.erase(at);
  }
  recorded_ = std::move(known);
  return {waits.begin(), waits.end()};
}

// A pass at a promised date, if nothing wakes the scheduler before. A timer cannot be taken
// back, so there is one at most: the earliest.
void Cycle::look_again(WallTime when) {
  if (when == WallTime{} || (look_at_ != WallTime{} && look_at_ <= when)) return;
  look_at_ = when;
  auto delay = std::max(Duration{}, when - clock_.wall());
  clock_.after(delay, [this, when] {
    if (look_at_ != when) return;
    look_at_ = {};
    wake();
  });
}

EventBody Cycle::event_of(const sched::Preempt& piece) const {
  if (piece.how == sched::MakeWay::Park)
    return JobParked{piece.job, piece.attempt, {piece.by, piece.reason}};
  bool requeue = piece.how == sched::MakeWay::Requeue;
  return JobPreempted{
      piece.job, piece.attempt, {piece.by, clock_.wall() + piece.grace, requeue, piece.reason}};
}

std::vector<EventBody> Cycle::dispatch(const sched::Start& start) {
  sched::Plan plan;
  plan.starts.push_back(start);
  return events_of(plan);
}

std::vector<EventBody> Cycle::events_of(const sched::Plan& plan) {
  std::vector<EventBody> events;
  const Cluster& state = journal_.newest();
  GroupPorts ports(state);
  for (const auto& shrink : plan.shrinks) {
    const Job* job = find_job(state, shrink.job);
    events.push_back(TasksLeaving{shrink.job, shrink.attempt, shrink.tasks,
                                  clock_.wall() + leave_grace_of(state, *job), shrink.reason});
  }
  for (const auto& preempt : plan.preempts) events.push_back(event_of(preempt));
  for (const auto& resume : plan.resumes) events.push_back(JobUnparked{resume.job, resume.attempt});
  for (const auto& start : plan.starts) {
    const Job* job = find_job(state, start.job);
    const Job* like = job ? job : state.jobs.find(start.job.job);  // an element of a range
    auto attempt = next_attempt(state.term, job ? job->attempt : Attempt{});
    bool chosen = fsm::gets_port(*state.config, like->spec_of(start.alternative));
    auto port = chosen ? ports.next_block(start.tasks.front().host, start.job, attempt) : 0;
    events.push_back(JobDispatched{start.job, attempt,
                                   made_tasks(state, *like, start.tasks, false, ports),
                                   keys_.random(32), start.alternative, port});
  }
  for (const auto& grow : plan.grows) {
    const Job* job = find_job(state, grow.job);
    events.push_back(TasksAdded{grow.job, grow.attempt,
                                made_tasks(state, *job, grow.tasks, true, ports), grow.reason});
  }
  // After what takes their places: a job is never smaller in between.
  for (const auto& move : plan.moves) {
    const Job* job = find_job(state, move.job);
    events.push_back(TasksLeaving{move.job, move.attempt, move.tasks,
                                  clock_.wall() + leave_grace_of(state, *job), move.reason});
  }
  for (const auto& date : plan.promises)
    events.push_back(StartPromised{date.job, date.at, date.places});
  return events;
}

}  // namespace wm::master
