#include "daemons/wmasterd/state/agenda.h"

#include <algorithm>

namespace wm::master {
namespace {

bool is_leaving(const Task& task) {
  return task.state == TaskState::Leaving && task.has_process && !task.kill;
}

bool is_unwilling(const Task& task) {
  return task.holds_slot() && task.has_process && !task.kill && task.state != TaskState::Stuck;
}

bool waits(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Held ||
         job.state == JobState::Array;
}

// The base of an array is never over, but stands for nothing once it is killed.
bool is_unfinished(const Job* job) {
  if (!job) return false;
  bool base = job->id.index == 0 && !job->spec().array.empty();
  return base ? !job->kill : !is_over(job->state);
}

bool reserves_memory(const Job& job) {
  return job.spec().mem_for > Duration{} && !job.mem_released && job.times.started != WallTime{} &&
         job.state == JobState::Running && slots_held(job) > 0;
}

}  // namespace

WallTime pending_limit_of(const Job& job) {
  Duration limit = job.spec().exec.pending_limit;
  bool counts = limit > Duration{} && job.state == JobState::Pending && job.attempt.value == 0;
  return counts && !job.kill ? job.times.submitted + limit : WallTime{};
}

WallTime next_due(const Job& job, WallTime after) {
  WallTime next{};
  auto at = [&](WallTime time) {
    if (time != WallTime{} && (next == WallTime{} || time < next)) next = time;
  };
  const auto& spec = job.spec();
  if (!job.kill) at(spec.when.deadline);
  if (!job.kill && waits(job) && spec.when.begin > after) at(spec.when.begin);
  at(pending_limit_of(job));
  if (reserves_memory(job)) at(job.times.dispatched + spec.mem_for);
  for (const auto& task : job.tasks) {
    if (is_leaving(task)) at(task.leave_by);
    if (job.waits.preempted && is_unwilling(task)) at(job.waits.preempted->leave_by);
  }
  return next;
}

WallTime reservation_ends(const Cluster& state, const Job& job) {
  bool runs = job.times.dispatched != WallTime{} && slots_held(job) > 0 && !job.kill;
  const Reservation* reservation = runs ? find_reservation(state, job.spec().reservation) : nullptr;
  if (!reservation || reservation->open) return {};
  auto span = span_of(*reservation, state.config->clock, job.times.dispatched);
  if (!span) return job.times.dispatched;  // it was made shorter
  return span->until == WallTime::max() ? WallTime{} : span->until;
}

void add_due(const Job& job, WallTime now, std::vector<EventBody>& events) {
  if (reserves_memory(job) && now - job.times.dispatched >= job.spec().mem_for)
    events.push_back(MemoryReleased{job.id, job.attempt});
  bool ends = job.waits.preempted && job.waits.preempted->leave_by <= now;
  for (const auto& task : job.tasks) {
    if (ends && is_unwilling(task))
      events.push_back(TaskCondemned{job.id, job.attempt, task.number, Term::Preempt,
                                     job.waits.preempted->text});
    else if (is_leaving(task) && task.leave_by < now)
      events.push_back(TaskCondemned{
          job.id, job.attempt, task.number, Term::ReclaimGrace,
          "task " + std::to_string(task.number.value) + " did not release its slot in time"});
  }
}

Agenda Agenda::of(const Cluster& state, WallTime after) {
  Agenda made;
  auto note = [&](std::uint32_t, const Job& job) { made.note(state, job.id, after); };
  state.jobs.each(note);
  state.elements.each(note);
  return made;
}

void Agenda::note(const Cluster& state, JobId id, WallTime after) {
  const Job* job = find_job(state, id);
  bool unfinished = is_unfinished(job);
  WallTime next = unfinished ? next_due(*job, after) : WallTime{};
  WallTime ends = unfinished ? reservation_ends(state, *job) : WallTime{};
  if (ends != WallTime{} && (next == WallTime{} || ends < next)) next = ends;
  set(id, next);
  bool depends = unfinished && !job->spec().when.depend.empty();
  if (depends) dependents_.insert(id);
  else dependents_.erase(id);
  if (depends && waits(*job) && !job->kill) waiting_.insert(id);
  else waiting_.erase(id);
}

void Agenda::set(JobId job, WallTime when) {
  auto at = times_.find(job);
  if (at != times_.end()) {
    if (at->second == when) return;
    order_.erase({at->second, job});
    times_.erase(at);
  }
  if (when == WallTime{}) return;
  times_.emplace(job, when);
  order_.emplace(when, job);
}

std::vector<JobId> Agenda::due(WallTime now) const {
  std::vector<JobId> jobs;
  for (const auto& [when, job] : order_) {
    if (when > now) break;
    jobs.push_back(job);
  }
  return jobs;
}

}  // namespace wm::master
