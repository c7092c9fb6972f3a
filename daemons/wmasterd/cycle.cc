#include "daemons/wmasterd/cycle.h"

#include <set>

#include "daemons/wmasterd/orders.h"
#include "libwm/base/log.h"
#include "libwm/sched/admit.h"
#include "libwm/sched/schedule.h"

namespace wm::master {
namespace {

// Numbers go up from the job's last task. `added`: the job runs already.
std::vector<Task> made_tasks(const Cluster& cluster, const Job& job,
                             const std::vector<sched::Spot>& spots, bool added) {
  auto launch = launch_of(*cluster.config, job.spec());
  auto last = added ? job.last_task.value : 0;
  std::set<HostId> launched;  // hosts that have their process
  for (const auto& task : job.tasks)
    if (added && task.has_process && task.holds_slot()) launched.insert(task.host);
  std::vector<Task> tasks;
  for (const auto& spot : spots) {
    Task task;
    task.number = TaskNumber{++last};
    task.host = spot.host;
    task.gpus = spot.gpus;
    bool first_there = launched.insert(task.host).second;
    task.has_process = launch == Launch::PerSlot || task.number.value == 1 ||
                       (launch == Launch::PerHost && first_there);
    tasks.push_back(std::move(task));
  }
  return tasks;
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
  world_.work([plan, state = journal_.published_ptr(),
               now = world_.wall()] { *plan = sched::schedule(*state, sched::SchedPolicy{}, now); },
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
  auto events = events_of(sched::admit(journal_.newest(), plan));
  if (events.empty()) return;
  for (const auto& result : journal_.propose({std::move(events), {}, {}, nullptr}))
    if (!result) log::debug("plan_refused", {{"why", result.error().text}});
}

std::vector<EventBody> Cycle::events_of(const sched::Plan& plan) {
  std::vector<EventBody> events;
  const Cluster& state = journal_.newest();
  for (const auto& shrink : plan.shrinks) {
    const Job* job = find_job(state, shrink.job);
    events.push_back(TasksLeaving{shrink.job, shrink.attempt, shrink.tasks,
                                  world_.wall() + leave_grace_of(state, *job), shrink.reason});
  }
  for (const auto& start : plan.starts) {
    const Job* job = find_job(state, start.job);
    const Job* like = job ? job : state.jobs.find(start.job.job);  // an element of a range
    Attempt attempt{(job ? job->attempt.value : 0) + 1};
    events.push_back(JobDispatched{start.job, attempt, made_tasks(state, *like, start.tasks, false),
                                   world_.random(32)});
  }
  for (const auto& grow : plan.grows) {
    const Job* job = find_job(state, grow.job);
    events.push_back(
        TasksAdded{grow.job, grow.attempt, made_tasks(state, *job, grow.tasks, true), grow.reason});
  }
  return events;
}

}  // namespace wm::master
