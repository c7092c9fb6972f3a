// Running jobs between their ends: suspended and resumed, and what a resize asks for besides
// the slots themselves.
//
//   restart:  running ─(slots changed)─► launching ─(every process again)─► running
//   notify:   (slots changed) ─► notice ─answered─► kept | given back
#include <algorithm>
#include <map>

#include "libwm/fsm/edit.h"

namespace wm::fsm {
namespace {

bool is_wanted(const Task& task) {
  return !task.kill && (task.state == TaskState::Starting || task.state == TaskState::Running);
}

// When a host's only process leaves, another slot there takes it over; for a command started once,
// a slot on any host.
void hand_over_processes(Job& job, Launch launch) {
  auto place_of = [&](const Task& task) { return launch == Launch::Once ? HostId{} : task.host; };
  std::map<HostId, bool> kept;  // places that stay: is there a process that does?
  for (const auto& task : job.tasks)
    if (is_wanted(task)) kept[place_of(task)] = kept[place_of(task)] || task.has_process;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    bool leaves = job.tasks[i].state == TaskState::Leaving, wanted = is_wanted(job.tasks[i]);
    auto host = kept.find(place_of(job.tasks[i]));
    if (leaves && host != kept.end() && !host->second) job.tasks.edit(i).has_process = false;
    if (!wanted || host->second) continue;
    job.tasks.edit(i).has_process = host->second = true;
  }
}

// Processes are stopped from the first of two reasons on, until both are gone.
void stop(Job& job, WallTime now) {
  if (!is_stopped(job)) job.suspension.since = now;
  ++job.generation;
}

void go_on(Job& job, WallTime now) {
  if (!is_stopped(job)) {
    job.suspension.earlier += now - job.suspension.since;
    if (job.state == JobState::Suspended) job.state = JobState::Running;
  }
  ++job.generation;
}

// Hosts, agents and the scheduler are to look at it.
void touch_all(Touched& t, JobId job) {
  t.orders.insert(job);
  t.agents.insert(job);
  t.jobs.insert(job);
  t.schedule = true;
}

// Was the job's size changed since its first processes began?
bool was_resized(const Job& job) {
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&](const Task& task) {
    return !is_wanted(task) || task.since > job.times.dispatched;
  });
}

}  // namespace

void relaunch(const Cluster& cluster, Job& job) {
  ++job.size.relaunches;
  hand_over_processes(job, launch_of(*cluster.config, job.spec()));
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    if (!is_wanted(job.tasks[i]) || !job.tasks[i].has_process) continue;
    Task& task = job.tasks.edit(i);
    task.state = TaskState::Starting;
    task.pid = 0;
  }
  if (job.state == JobState::Running) job.state = JobState::Launching;
}

void note_resize(const Cluster& cluster, Job& job, bool grow,
                 const std::vector<TaskNumber>& tasks) {
  auto mode = resize_mode_of(*cluster.config, job);
  if (mode == ResizeMode::Restart) relaunch(cluster, job);
  if (mode == ResizeMode::Notify) job.size.notice = ResizeNotice{++job.size.notices, grow, tasks};
}

// Those that met know how many they were. If that has changed meanwhile, a newcomer waits for a
// rank that the others do not know: all start again.
void apply_to(Cluster& c, const TasksMet& e, WallTime, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.membership.met = true;
  bool again = resize_mode_of(*c.config, job) == ResizeMode::Restart && was_resized(job) &&
               !job.ending && !job.finishing && !job.kill;
  if (again) relaunch(c, job);
  if (again) ++job.generation;
  touch_all(t, e.job);
}

void apply_to(Cluster& c, const JobSuspended& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  stop(job, now);
  job.suspension.by = e.by;
  if (job.state == JobState::Running) job.state = JobState::Suspended;
  t.orders.insert(e.job);
  t.jobs.insert(e.job);
}

void apply_to(Cluster& c, const JobResumed& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  job.suspension.by.clear();
  go_on(job, now);
  t.orders.insert(e.job);
  t.jobs.insert(e.job);
  t.schedule = true;
}

void apply_to(Cluster& c, const JobParked& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  stop(job, now);
  give_slots(c, job, e.parked);
  make_waiting(c, e.parked.by, t);
  ++job.returns.preemptions;
  job.state = JobState::Suspended;
  touch_all(t, e.job);
}

void apply_to(Cluster& c, const JobUnparked& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  take_slots_back(c, job);
  go_on(job, now);
  touch_all(t, e.job);
}

void apply_to(Cluster& c, const ResizeAnswered& e, WallTime now, Touched& t) {
  Job& job = edit_job(c, e.job);
  auto notice = *job.size.notice;
  job.size.notice.reset();
  ++job.generation;
  for (TaskNumber number : notice.tasks) {
    auto at = job.tasks.position(number);
    if (at == job.tasks.size() || job.tasks[at].state == TaskState::Gone) continue;
    Task& task = job.tasks.edit(at);
    if (notice.grow != e.ok) release_slot(c, job, task, now);
    else if (!notice.grow) task.state = TaskState::Starting;  // refused: it stays
  }
  if (!e.ok) {
    job.size.grow_blocked = "stays at its size: " + e.text;
    job.size.grow_again = {};
    // What its owner asked for is answered: not tried again when something else changes.
    if (!notice.grow && job.size.cap) job.size.cap = std::max(job.size.cap, tasks_wanted(job));
  }
  t.orders.insert(e.job);
  t.jobs.insert(e.job);
  t.schedule = true;
}

}  // namespace wm::fsm
