#include "libwm/replay/twin.h"

#include "libwm/model/master_rank.h"
#include "libwm/sched/admit.h"

namespace wm::replay {
namespace {

std::vector<Task> tasks_at(const std::vector<sched::Spot>& spots, std::uint32_t last) {
  std::vector<Task> tasks;
  for (const sched::Spot& spot : spots) {
    Task task;
    task.number = TaskNumber{++last};
    task.host = spot.host;
    task.gpus = spot.gpus;
    // One process stands for the job: no others start or end by themselves here.
    task.has_process = task.number.value == 1;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

template <class Wanted>
std::vector<TaskNumber> numbers_of(const Job& job, Wanted wanted) {
  std::vector<TaskNumber> numbers;
  for (const Task& task : job.tasks) {
    if (wanted(task)) numbers.push_back(task.number);
  }
  return numbers;
}

}  // namespace

bool Twin::apply(const EventBody& first, WallTime now) {
  if (!fsm::check(cluster_, first)) return false;
  std::vector<EventBody> todo{first};
  for (std::size_t i = 0; i < todo.size(); ++i) {
    if (i > 0 && !fsm::check(cluster_, todo[i])) continue;
    auto changed = fsm::apply(cluster_, {Seq{cluster_.seq.value + 1}, now, todo[i]});
    for (auto& next : fsm::follow(cluster_, changed)) todo.push_back(std::move(next));
  }
  return true;
}

sched::Plan Twin::pass(const sched::SchedPolicy& policy, WallTime now) {
  return sched::schedule(cluster_.freeze(), policy, now, memory_);
}

void Twin::settle(JobId id, WallTime now) {
  const Job* job = find_job(cluster_, id);
  if (!job) return;
  Attempt attempt = job->attempt;
  auto starting = numbers_of(*job, [](const Task& t) { return t.has_process && t.pid == 0; });
  for (TaskNumber task : starting) apply(TaskStarted{id, attempt, task, 1}, now);
  job = find_job(cluster_, id);
  auto leaving = numbers_of(*job, [](const Task& t) { return t.state == TaskState::Leaving; });
  for (TaskNumber task : leaving) apply(TaskEnded{id, attempt, task, 0, Term::Left, {}, ""}, now);
}

// Processes first: that frees the places beside them, unless a part of the job runs there.
void Twin::end(JobId id, WallTime now) {
  for (bool bare : {false, true}) {
    const Job* job = find_job(cluster_, id);
    if (!job || is_over(job->state) || job->state == JobState::Pending) return;
    Attempt attempt = job->attempt;
    auto left = numbers_of(*job, [&](const Task& task) {
      return task.state != TaskState::Gone && (bare || task.has_process);
    });
    for (TaskNumber task : left) apply(TaskEnded{id, attempt, task, 0, Term::None, {}, ""}, now);
  }
}

std::set<JobId> Twin::carry_out(const sched::Plan& plan, WallTime now) {
  std::set<JobId> touched;
  for (const auto& piece : plan.shrinks) {
    apply(TasksLeaving{piece.job, piece.attempt, piece.tasks, now, piece.reason}, now);
    touched.insert(piece.job);
  }
  for (const auto& piece : plan.preempts) {
    touched.insert(piece.job);
    if (piece.how == sched::MakeWay::Park) {
      apply(JobParked{piece.job, piece.attempt, {piece.by, piece.reason}}, now);
      continue;
    }
    bool requeue = piece.how == sched::MakeWay::Requeue;
    apply(JobPreempted{piece.job, piece.attempt, {piece.by, now, requeue, piece.reason}}, now);
    end(piece.job, now);
  }
  for (const auto& piece : plan.resumes) {
    apply(JobUnparked{piece.job, piece.attempt}, now);
    touched.insert(piece.job);
  }
  for (const auto& piece : plan.starts) {
    const Job* job = find_job(cluster_, piece.job);
    auto attempt = next_attempt(cluster_.term, job ? job->attempt : Attempt{});
    apply(JobDispatched{piece.job, attempt, tasks_at(piece.tasks, 0), "", piece.alternative}, now);
    touched.insert(piece.job);
  }
  for (const auto& piece : plan.grows) {
    std::uint32_t last = find_job(cluster_, piece.job)->last_task.value;
    apply(TasksAdded{piece.job, piece.attempt, tasks_at(piece.tasks, last), piece.reason}, now);
    touched.insert(piece.job);
  }
  for (const auto& piece : plan.moves) {
    apply(TasksLeaving{piece.job, piece.attempt, piece.tasks, now, piece.reason}, now);
    touched.insert(piece.job);
  }
  for (const auto& date : plan.promises) apply(StartPromised{date.job, date.at, date.places}, now);
  for (JobId job : touched) settle(job, now);
  return touched;
}

}  // namespace wm::replay
