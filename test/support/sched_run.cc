#include "test/support/sched_run.h"

#include <stdexcept>

#include "libwm/model/groups.h"
#include "libwm/sched/admit.h"
#include "test/support/sound_plan.h"

namespace wm::test {
namespace {

std::vector<Task> tasks_at(const std::vector<sched::Spot>& spots, std::uint32_t last, bool all) {
  std::vector<Task> tasks;
  for (const auto& spot : spots) {
    Task task;
    task.number = TaskNumber{++last};
    task.host = spot.host;
    task.gpus = spot.gpus;
    task.has_process = all || task.number.value == 1;
    tasks.push_back(task);
  }
  return tasks;
}

std::vector<JobId> live_jobs(const Cluster& state) {
  std::vector<JobId> ids;
  each_job(state, [&](const Job& job) {
    if (!is_over(job.state)) ids.push_back(job.id);
  });
  return ids;
}

}  // namespace

sched::Plan SchedRun::plan() const {
  auto made = sched::schedule(state, policy, at(now));
  if (auto sound = check_plan(state, made); !sound) throw std::runtime_error(sound.error().text);
  return made;
}

void SchedRun::catch_up() {
  slow = false;
  for (JobId id : live_jobs(state)) {
    all_started(id);
    next_epoch(id);
  }
}

void SchedRun::all_started(JobId id) {
  if (slow) return;
  for (const Task& task : Tasks(job(id).tasks)) {
    bool waits = task.has_process && task.state == TaskState::Starting && task.pid == 0;
    if (waits) step(TaskStarted{id, job(id).attempt, task.number, 1});
  }
}

void SchedRun::next_epoch(JobId id) {
  if (slow || !agents || !job(id).spec().elastic || job(id).state != JobState::Running) return;
  enter_epoch(id, job(id).membership.epoch.value + 1);
}

void SchedRun::start(const sched::Start& piece) {
  const Job* made = find_job(state, piece.job);
  const Job* like = made ? made : state.jobs.find(piece.job.job);
  WM_CHECK(like != nullptr);
  Attempt attempt{(made ? made->attempt.value : 0) + 1};
  bool all = launch_of(*state.config, like->spec()) == Launch::PerSlot;
  step(JobDispatched{piece.job, attempt, tasks_at(piece.tasks, 0, all), std::string(32, 'k'),
                     piece.alternative});
  all_started(piece.job);
  next_epoch(piece.job);
}

void SchedRun::grow(const sched::Grow& piece) {
  auto tasks = tasks_at(piece.tasks, job(piece.job).last_task.value, true);
  auto numbers = next_numbers(job(piece.job), static_cast<std::uint32_t>(tasks.size()));
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].number = numbers[i];
  step(TasksAdded{piece.job, piece.attempt, tasks, piece.reason});
  all_started(piece.job);
  next_epoch(piece.job);
}

sched::Plan SchedRun::pass() {
  auto plan = sched::admit(state, this->plan());
  for (const auto& piece : plan.shrinks) {
    step(TasksLeaving{piece.job, piece.attempt, piece.tasks, at(now + 10), piece.reason});
  }
  for (const auto& piece : plan.preempts) {
    bool requeue = piece.how == sched::MakeWay::Requeue;
    if (piece.how == sched::MakeWay::Park)
      step(JobParked{piece.job, piece.attempt, {piece.by, piece.reason}});
    else step(JobPreempted{piece.job, piece.attempt, {piece.by, at(30), requeue, piece.reason}});
  }
  for (const auto& piece : plan.resumes) step(JobUnparked{piece.job, piece.attempt});
  for (const auto& piece : plan.starts) start(piece);
  for (const auto& piece : plan.grows) grow(piece);
  for (const auto& piece : plan.moves)
    step(TasksLeaving{piece.job, piece.attempt, piece.tasks, at(now + 10), piece.reason});
  for (const auto& date : plan.promises) step(StartPromised{date.job, date.at, date.places});
  return plan;
}

void SchedRun::leave(JobId id, TaskNumber task) {
  step(TaskEnded{id, job(id).attempt, task, 0, Term::Left, {}, ""});
}

void SchedRun::let_leave() {
  for (JobId id : live_jobs(state)) {
    bool left = false;
    for (const Task& task : Tasks(job(id).tasks)) {
      if (task.state != TaskState::Leaving) continue;
      leave(id, task.number);
      left = true;
    }
    if (left) next_epoch(id);
  }
}

bool SchedRun::let_one_leave() {
  for (JobId id : live_jobs(state)) {
    for (const Task& task : Tasks(job(id).tasks)) {
      if (task.state != TaskState::Leaving) continue;
      leave(id, task.number);
      return true;
    }
  }
  return false;
}

int SchedRun::settle(int most) {
  for (int passes = 0; passes <= most; ++passes) {
    if (pass().idle()) return passes;
    let_leave();
  }
  return -1;
}

void SchedRun::end(JobId id) {
  for (const Task& task : Tasks(job(id).tasks)) {
    if (task.state == TaskState::Gone || !task.has_process) continue;
    step(TaskEnded{id, job(id).attempt, task.number, 0, Term::None, {}, ""});
  }
}

bool SchedRun::end_preempted() {
  std::vector<JobId> ids;
  each_job(state, [&](const Job& job) {
    if (job.waits.preempted && slots_held(job) > 0) ids.push_back(job.id);
  });
  for (JobId id : ids) end(id);
  return !ids.empty();
}

std::uint32_t SchedRun::size(JobId id) const {
  const Job* found = find_job(state, id);
  return found && !is_over(found->state) ? tasks_wanted(*found) : 0;
}

std::string SchedRun::why(JobId id) const {
  auto made = plan();
  auto* reasons = made.why(id);
  return reasons ? reasons->front().text : "";
}

double SchedRun::promised(JobId id) const {
  WallTime date = job(id).waits.promised;
  return date == WallTime{} ? -1 : std::chrono::duration<double>(date - at(0)).count();
}

PendCode SchedRun::code(JobId id) const {
  auto made = plan();
  auto* reasons = made.why(id);
  return reasons ? reasons->front().code : PendCode::New;
}

}  // namespace wm::test
