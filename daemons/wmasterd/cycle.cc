#include "daemons/wmasterd/cycle.h"

#include <algorithm>

#include "libwm/base/log.h"
#include "libwm/sched/admit.h"
#include "libwm/sched/schedule.h"

namespace wm::master {
namespace {

// Numbers go up from the job's last task; a batch job's command runs on the first only.
std::vector<Task> made_tasks(const Cluster& cluster, const Job& job,
                             const std::vector<sched::Spot>& spots, std::uint32_t last) {
  bool every = starts_every_task(*cluster.config, job.spec());
  std::vector<Task> tasks;
  for (const auto& spot : spots) {
    Task task;
    task.number = TaskNumber{++last};
    task.host = spot.host;
    task.gpus = spot.gpus;
    task.has_process = every || task.number.value == 1;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

// Grace before a leaver is killed: the application's, else the plan's, else the cluster's.
Duration grace_of(const Cluster& cluster, const Job& job) {
  const auto& config = *cluster.config;
  if (auto grace = app_of(config, job.spec()).reclaim_grace) return *grace;
  const auto* plan = config.plan(job.spec().plan);
  if (plan && plan->reclaim_grace) return *plan->reclaim_grace;
  return config.cluster.times.reclaim_grace;
}

sched::SchedPolicy policy_of(const Config& config) {
  sched::SchedPolicy policy;
  policy.backfill = config.cluster.sched.backfill;
  policy.max_promises = config.cluster.sched.promises;
  policy.promise_tolerance = config.cluster.sched.promise_tolerance;
  return policy;
}

}  // namespace

void Cycle::wake() {
  wanted_ = true;
  if (!running_) run();
}

void Cycle::run() {
  running_ = true;
  wanted_ = false;
  auto plan = std::make_shared<sched::Plan>();
  world_.work(
      [plan, state = journal_.published_ptr(), now = world_.wall()] {
        *plan = sched::schedule(*state, policy_of(*state->config), now);
      },
      [this, plan] {
        take(*plan);
        running_ = false;
        if (wanted_) run();
      });
}

void Cycle::take(const sched::Plan& plan) {
  auto reasons = std::make_shared<PendReasons>();
  for (const auto& waiting : plan.waiting) reasons->emplace(waiting.job, waiting.reasons);
  reasons_ = std::move(reasons);
  look_again(plan.look_again);
  auto events = events_of(sched::admit(journal_.newest(), plan));
  if (events.empty()) return;
  for (const auto& result : journal_.propose({std::move(events), {}, {}, nullptr}))
    if (!result) log::debug("plan_refused", {{"why", result.error().text}});
}

// A pass at a promised date, if nothing wakes the scheduler before. A timer cannot be taken
// back, so there is one at most: the earliest.
void Cycle::look_again(WallTime when) {
  if (when == WallTime{} || (look_at_ != WallTime{} && look_at_ <= when)) return;
  look_at_ = when;
  auto delay = std::max(Duration{}, when - world_.wall());
  world_.after(delay, [this, when] {
    if (look_at_ != when) return;
    look_at_ = {};
    wake();
  });
}

std::vector<EventBody> Cycle::events_of(const sched::Plan& plan) {
  std::vector<EventBody> events;
  const Cluster& state = journal_.newest();
  for (const auto& shrink : plan.shrinks) {
    const Job* job = find_job(state, shrink.job);
    events.push_back(TasksLeaving{shrink.job, shrink.attempt, shrink.tasks,
                                  world_.wall() + grace_of(state, *job), shrink.reason});
  }
  for (const auto& start : plan.starts) {
    const Job* job = find_job(state, start.job);
    const Job* like = job ? job : state.jobs.find(start.job.job);  // an element of a range
    Attempt attempt{(job ? job->attempt.value : 0) + 1};
    events.push_back(JobDispatched{start.job, attempt, made_tasks(state, *like, start.tasks, 0),
                                   world_.random(32)});
  }
  for (const auto& grow : plan.grows) {
    const Job* job = find_job(state, grow.job);
    events.push_back(TasksAdded{grow.job, grow.attempt,
                                made_tasks(state, *job, grow.tasks, job->last_task.value),
                                grow.reason});
  }
  for (const auto& date : plan.promises) events.push_back(StartPromised{date.job, date.at});
  return events;
}

}  // namespace wm::master
