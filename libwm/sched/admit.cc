#include "libwm/sched/admit.h"

#include <algorithm>
#include <map>
#include <set>

#include "libwm/model/groups.h"
#include "libwm/sched/capacity/host_capacity.h"
#include "libwm/sched/demand/claim.h"

namespace wm::sched {
namespace {

class Admission {
 public:
  explicit Admission(const Cluster& newest) : newest_(newest) {}
  bool allows(const Start& start);
  bool allows(const Grow& grow);
  bool allows(const Shrink& shrink) const;
  bool allows_move(const Shrink& move) const;
  bool waits(JobId id) const;
  bool allows(const Preempt& preempt) const;
  bool allows(const DatedStart& date) const;
  bool allows(const Resume& resume);

 private:
  const Job* startable(JobId id) const;
  bool take(const std::vector<Spot>& spots, const TaskRequest& task, std::set<HostId> has);
  bool take_one(const Spot& spot, const TaskRequest& task, bool is_there);
  HostCapacity* room(HostId host);

  const Cluster& newest_;
  std::map<HostId, HostCapacity> rooms_;  // of hosts that the plan names, with what was admitted
};

HostCapacity* Admission::room(HostId host) {
  auto it = rooms_.find(host);
  if (it != rooms_.end()) return it->second.open ? &it->second : nullptr;
  const Host* found = newest_.hosts.find(host.value);
  if (!found || !is_open(*found)) return nullptr;
  return &rooms_.emplace(host, room_of(*found)).first->second;
}

// Slots, CPUs, memory and the very GPUs must be free.
bool Admission::take_one(const Spot& spot, const TaskRequest& task, bool is_there) {
  HostCapacity* at = room(spot.host);
  if (!at) return false;
  Space need = space_of(task, 1, is_there);
  Space& now = at->now;
  bool fits = now.slots >= need.slots && now.milli_cpus >= need.milli_cpus && now.mem >= need.mem;
  if (!fits || !take_these(*at, task, spot.gpus)) return false;
  now.slots -= need.slots;
  now.milli_cpus -= need.milli_cpus;
  now.mem -= need.mem;
  return true;
}

// `has`: the hosts on which the job has tasks already.
bool Admission::take(const std::vector<Spot>& spots, const TaskRequest& task,
                     std::set<HostId> has) {
  std::map<HostId, HostCapacity> before;
  for (const Spot& spot : spots) {
    if (HostCapacity* at = room(spot.host)) before.emplace(spot.host, *at);
  }
  bool all = std::all_of(spots.begin(), spots.end(), [&](const Spot& spot) {
    return take_one(spot, task, !has.insert(spot.host).second);
  });
  for (auto& [host, room] : before) {
    if (!all) rooms_[host] = std::move(room);
  }
  return all;
}

// The job, or the base of an element that has no object yet; null if it may not start.
const Job* Admission::startable(JobId id) const {
  const Job* job = find_job(newest_, id);
  if (!job) job = newest_.jobs.find(id.job);
  if (!job || job->kill) return nullptr;
  bool unmade = job->id != id && job->state == JobState::Array;
  if (!unmade && (job->id != id || job->state != JobState::Pending)) return nullptr;
  auto queue = newest_.queues.find(job->spec().queue);
  return queue != newest_.queues.end() && queue->second.inactive ? nullptr : job;
}

bool Admission::allows(const Start& start) {
  const Job* job = startable(start.job);
  if (!job || job->revision != start.revision) return false;
  const JobSpec& spec = job->spec_of(start.alternative);
  if (start.tasks.size() < spec.min_tasks) return false;
  return start.tasks.size() <= task_cap(*job) && take(start.tasks, spec.task, {});
}

bool Admission::allows(const Grow& grow) {
  const Job* job = find_job(newest_, grow.job);
  if (!job || job->attempt != grow.attempt || !is_resizable(newest_, *job)) return false;
  bool may = tasks_wanted(*job) + grow.tasks.size() <= task_cap(*job);
  std::set<HostId> has;
  for (const Task& task : job->tasks)
    if (task.holds_slot()) has.insert(task.host);
  return may && take(grow.tasks, held_by(*job), std::move(has));
}

bool Admission::allows(const Shrink& shrink) const {
  const Job* job = find_job(newest_, shrink.job);
  if (!job || job->attempt != shrink.attempt || !is_resizable(newest_, *job)) return false;
  bool all = shrink.tasks.size() == tasks_wanted(*job);
  TaskNumber first = first_task(*job);
  for (TaskNumber number : shrink.tasks) {
    const Task* task = find_task(*job, number);
    if (!task || !is_wanted(*task) || (number == first && !all)) return false;
  }
  return tasks_wanted(*job) >= least_tasks(*job) + shrink.tasks.size();
}

// Its host may have been opened since.
bool Admission::allows_move(const Shrink& move) const {
  const Job* job = find_job(newest_, move.job);
  if (!job || job->attempt != move.attempt || !is_resizable(newest_, *job)) return false;
  return std::all_of(move.tasks.begin(), move.tasks.end(), [&](TaskNumber number) {
    const Task* task = find_task(*job, number);
    return task && task->moves && task->holds_slot();
  });
}

// The job, or the element of an array that may not be made yet.
bool Admission::waits(JobId id) const {
  const Job* job = find_job(newest_, id);
  if (job) return job->state == JobState::Pending && !job->kill;
  const Job* base = newest_.jobs.find(id.job);
  return base && base->state == JobState::Array && !base->kill;
}

// Nobody makes way for a job that does not wait any more.
bool Admission::allows(const Preempt& preempt) const {
  const Job* job = find_job(newest_, preempt.job);
  if (!job || job->attempt != preempt.attempt || job->kill || job->ending || job->waits.preempted)
    return false;
  bool runs = job->state == JobState::Running || job->state == JobState::Launching;
  if (preempt.how == MakeWay::Park && job->state != JobState::Running) return false;
  return runs && waits(preempt.by);
}

// All its slots are free at once: it has not changed its hosts, nor its memory.
bool Admission::allows(const Resume& resume) {
  const Job* job = find_job(newest_, resume.job);
  bool waits = job && job->attempt == resume.attempt && job->parked && !job->kill &&
               job->state == JobState::Suspended;
  if (!waits) return false;
  std::map<HostId, std::int64_t> tasks;
  for (const Task& task : job->tasks)
    if (task.holds_slot()) ++tasks[task.host];
  for (auto [id, count] : tasks) {
    const Host* host = newest_.hosts.find(id.value);
    if (!host) return false;
    HostCapacity& at = rooms_.try_emplace(id, room_of(*host)).first->second;
    if (at.now.slots < count || at.now.milli_cpus < count * job->spec().task.milli_cpus)
      return false;
    at.now.slots -= count;
    at.now.milli_cpus -= count * job->spec().task.milli_cpus;
  }
  return true;
}

bool Admission::allows(const DatedStart& date) const {
  const Job* job = find_job(newest_, date.job);
  return job && job->revision == date.revision &&
         (job->state == JobState::Pending || job->state == JobState::Array);
}

template <class Piece>
void keep_allowed(Admission& admission, const std::vector<Piece>& pieces,
                  std::vector<Piece>& kept) {
  for (const Piece& piece : pieces) {
    if (admission.allows(piece)) kept.push_back(piece);
  }
}

// Groups that live together start together, or wait for the next pass.
void drop_broken_gangs(const Cluster& newest, std::vector<Start>& starts) {
  std::set<JobId> kept;
  for (const Start& start : starts) kept.insert(start.job);
  std::erase_if(starts, [&](const Start& start) {
    const Job* job = find_job(newest, start.job);
    if (!job) return false;
    auto gang = gang_of(newest, *job);
    return std::any_of(gang.begin(), gang.end(), [&](JobId id) { return !kept.count(id); });
  });
}

}  // namespace

Plan admit(const Cluster& newest, const Plan& plan) {
  Plan kept;
  kept.waiting = plan.waiting;
  Admission admission(newest);
  kept.reservations = plan.reservations;
  // What a reservation keeps that was made meanwhile is not given away: a pass comes after it.
  bool same = *plan.reservations == *newest.reservations;
  if (same) keep_allowed(admission, plan.starts, kept.starts);
  drop_broken_gangs(newest, kept.starts);
  keep_allowed(admission, plan.resumes, kept.resumes);
  if (same) keep_allowed(admission, plan.grows, kept.grows);
  keep_allowed(admission, plan.shrinks, kept.shrinks);
  for (const Shrink& move : plan.moves)
    if (admission.allows_move(move)) kept.moves.push_back(move);
  keep_allowed(admission, plan.preempts, kept.preempts);
  keep_allowed(admission, plan.promises, kept.promises);
  kept.look_again = plan.look_again;
  return kept;
}

}  // namespace wm::sched
