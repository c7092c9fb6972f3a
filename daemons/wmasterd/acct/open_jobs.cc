// What holds something when a start begins: the parts that last, of the state and of acct.db.
#include <algorithm>

#include "daemons/wmasterd/acct/spans.h"

namespace wm::master {
namespace {

// The open part of a task, as the state has it.
OpenTask open_task(const Job& job, const Task& task) {
  OpenTask made;
  made.host = task.host;
  made.since = task.since;
  made.has_process = task.has_process;
  made.leaving = task.state == TaskState::Leaving;
  made.stuck = task.state == TaskState::Stuck;
  made.mem_elsewhere = task.mem_elsewhere;
  made.row.job = job.id;
  made.row.attempt = job.attempt;
  made.row.task = task.number;
  made.row.start = task.since;
  return made;
}

void open_job(OpenJobs& open, const Job& job) {
  bool waits = job.state == JobState::Pending || job.state == JobState::Held;
  if (waits && job.attempt) {
    OpenWait wait;
    for (const auto& task : job.tasks) wait.since = std::max(wait.since, task.ended);
    if (wait.since == WallTime{}) wait.since = job.times.submitted;
    open.waits[job.id] = wait;
  }
  if (slots_held(job) == 0 && !job.parked) return;
  OpenJob made;
  made.request = job.spec().task;
  made.suspended = !job.suspension.by.empty();
  made.parked = job.parked.has_value();
  made.mem_released = job.mem_released;
  made.killed = job.kill.has_value();
  made.preempted = job.waits.preempted.has_value();
  for (const auto& task : job.tasks) {
    if (!task.holds_slot()) continue;
    made.tasks[task.number] = open_task(job, task);
    open.on[task.host].insert(job.id);
  }
  open.jobs[job.id] = std::move(made);
}

}  // namespace

OpenJobs open_jobs(const Cluster& cluster, const store::AcctRows& lasting) {
  OpenJobs open;
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    if (host.state != HostState::Ok) open.silent.insert(host.id);
  });
  each_job(cluster, [&](const Job& job) { open_job(open, job); });
  for (const auto& row : lasting.allocations)
    if (auto job = open.jobs.find(row.job); job != open.jobs.end())
      if (auto task = job->second.tasks.find(row.task); task != job->second.tasks.end())
        task->second.row = row;
  for (const auto& row : lasting.attempts)
    if (auto job = open.jobs.find(row.job); job != open.jobs.end()) {
      job->second.attempt = row;
      if (row.job.index) ++open.active[row.job.job];
    }
  cluster.elements.each([&](std::uint32_t, const Job& job) {
    if (job.spec().array_limit == 0) return;
    auto& left = open.limit_left[job.id.job];
    left = std::max(left, job.times.ended);
  });
  return open;
}

}  // namespace wm::master
