// A host that is drained: what can go on elsewhere does, the rest runs to its end.
//
//   closed to be drained ─► TasksMoving: tasks of resizable jobs there are not counted as wanted
//                           any more, and go on; the scheduler gives their jobs others elsewhere
//   those serve          ─► TasksLeaving (sched/placement/moves.h)
//   opened               ─► they stay
#include <algorithm>

#include "libwm/fsm/edit.h"
#include "libwm/model/groups.h"

namespace wm::fsm {
namespace {

bool is_there(const Task& task) {
  return !task.kill && (task.state == TaskState::Starting || task.state == TaskState::Running);
}

// A command that is started again at each size stays with its first host, which leads it.
bool may_move(const Cluster& c, const Job& job, const Task& task) {
  bool leads = resize_mode_of(*c.config, job) == ResizeMode::Restart && !is_independent(job) &&
               task.number == job.tasks.front().number;
  return !leads && is_there(task);
}

// What its command decides about is not moved: it may refuse.
bool is_movable(const Cluster& c, const Job& job) {
  return is_resizable(c, job) && resize_mode_of(*c.config, job) != ResizeMode::Notify;
}

}  // namespace

void apply_to(Cluster& c, const TasksMoving& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  for (TaskNumber number : e.tasks) {
    auto at = job.tasks.position(number);
    if (at < job.tasks.size() && is_there(job.tasks[at])) job.tasks.edit(at).moves = true;
  }
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const TasksServing& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    bool serves = std::find(e.tasks.begin(), e.tasks.end(), job.tasks[i].number) != e.tasks.end();
    if (job.tasks[i].serves != serves) job.tasks.edit(i).serves = serves;
  }
  t.jobs.insert(e.job);
  t.schedule = true;
}

void drain_host(Cluster& c, HostId id, Touched& t) {
  edit_host(c, id).drains = true;
  index_draining(c, id);
  each_job_on(c, id, [&](const Job& job) { t.jobs.insert(job.id); });
}

void stop_draining(Cluster& c, HostId id, Touched& t) {
  if (!c.hosts.find(id.value)->drains) return;
  edit_host(c, id).drains = false;
  index_draining(c, id);
  std::vector<JobId> ids;
  each_job_on(c, id, [&](const Job& job) { ids.push_back(job.id); });
  for (JobId job_id : ids) {
    Job& job = edit_job(c, job_id);
    for (std::size_t i = 0; i < job.tasks.size(); ++i)
      if (job.tasks[i].host == id && job.tasks[i].moves) job.tasks.edit(i).moves = false;
    t.jobs.insert(job_id);
  }
}

std::vector<EventBody> moves_of(const Cluster& c, const Job& job) {
  if (c.indexes.draining->empty() || !is_movable(c, job)) return {};
  std::vector<TaskNumber> tasks;
  for (const Task& task : job.tasks)
    if (!task.moves && c.indexes.draining->contains(task.host) && may_move(c, job, task))
      tasks.push_back(task.number);
  if (tasks.empty()) return {};
  return {TasksMoving{job.id, job.attempt, std::move(tasks)}};
}

}  // namespace wm::fsm
