#include "libwm/sched/demand/claim.h"

#include <algorithm>
#include <bit>

#include "libwm/sched/demand/order.h"

namespace wm::sched {

TaskRequest held_by(const Job& job) {
  TaskRequest held = job.spec().task;
  if (job.mem_released) held.mem = Bytes{0};
  return held;
}

void set_price(Claim& claim, const JobSpec& spec) {
  claim.price.gpu = spec.task.milli_gpus > 0 && !spec.task.gpu_shared;
  claim.price.ptile = spec.span.ptile;
  if (claim.price.gpu && spec.task.gpus_per_host) claim.price.host_gpus = gpus_of(spec.task);
  else if (claim.price.gpu) claim.price.each = gpus_of(spec.task);
}

bool is_wanted(const Task& task) {
  return !task.kill && !task.moves &&
         (task.state == TaskState::Starting || task.state == TaskState::Running);
}

JobId makes_way_for(const Cluster& cluster, const Job& job) {
  if (!job.waits.preempted && !job.parked) return {};
  JobId by = job.parked ? job.parked->by : job.waits.preempted->by;
  WallTime given{};  // its slots: all at once, or task by task
  if (job.parked) given = job.suspension.since;
  else
    for (const Task& task : job.tasks) {
      if (task.holds_slot()) return by;
      given = std::max(given, task.ended);
    }
  const Job* other = find_job(cluster, by);
  return other && other->times.dispatched > given ? JobId{} : by;
}

TaskNumber first_task(const Job& job) {
  for (TaskNumber member : job.membership.members) {
    const Task* task = find_task(job, member);
    if (!task || !task->moves) return member;
  }
  TaskNumber first;
  for (const Task& task : job.tasks) {
    if (is_wanted(task) && (!first || task.number < first)) first = task.number;
  }
  return first;
}

bool Claim::suits(std::uint32_t tasks) const {
  if (tasks == min || gain.sizes == UsefulSizes::Any) return true;
  if (gain.sizes == UsefulSizes::PowersOfTwo) return std::has_single_bit(tasks);
  return tasks % gain.per_host == 0;
}

std::uint32_t Claim::suiting(std::uint32_t tasks) const {
  while (tasks > min && !suits(tasks)) --tasks;
  return std::max(tasks, min);
}

namespace {

// Tasks of a running job by what becomes of them: what it must keep, and what it can give.
struct Kept {
  std::vector<const Task*> kept, surplus;
};

Kept kept_of(const Claim& claim) {
  Kept tasks;
  for (const Task& task : claim.job->tasks) {
    if (is_wanted(task)) tasks.kept.push_back(&task);
  }
  std::size_t least = std::max<std::size_t>(1, claim.spec().min_tasks);
  if (!claim.resizes || tasks.kept.size() <= least) return tasks;
  TaskNumber first = first_task(*claim.job);
  std::stable_sort(tasks.kept.begin(), tasks.kept.end(), [&](const Task* a, const Task* b) {
    bool a_first = a->number == first, b_first = b->number == first;
    return a_first != b_first ? a_first : a->number < b->number;
  });
  auto cut = tasks.kept.begin() + static_cast<std::ptrdiff_t>(least);
  tasks.surplus.assign(cut, tasks.kept.end());
  tasks.kept.erase(cut, tasks.kept.end());
  return tasks;
}

// Of the same queue and user: their ranks are equal, or about to be made so.
bool stands_before(const Claim& a, const Claim& b) {
  if (a.order.place != b.order.place) return a.order.place < b.order.place;
  if (a.order.user_priority != b.order.user_priority)
    return a.order.user_priority > b.order.user_priority;
  return a.id < b.id;
}

}  // namespace

// When its run limit ends it: the time for which it was stopped does not count, and until it goes
// on there is no date.
WallTime end_by_limit(const Claim& claim) {
  const Job& job = *claim.job;
  if (claim.limit <= Duration{} || is_stopped(job)) return WallTime::max();
  return window_from(std::max(job.times.started, job.times.dispatched) + job.suspension.earlier,
                     claim.limit)
      .until;
}

void each_end(const Claim& claim, const std::function<void(const Task&, WallTime)>& tell) {
  WallTime end = claim.back != WallTime{} ? claim.back : end_by_limit(claim);
  if (end == WallTime::max() && !claim.resizes) return;
  Kept tasks = kept_of(claim);
  for (const Task* task : tasks.kept)
    if (end != WallTime::max()) tell(*task, end);
  // What it gives back stays its reservation's.
  for (const Task* task : tasks.surplus)
    if (!claim.reserved) tell(*task, kAtOnce);
    else if (end != WallTime::max()) tell(*task, end);
}

void Steady::add(const Claim& claim) {
  claims.insert(std::upper_bound(claims.begin(), claims.end(), claim, stands_before), claim);
  tasks += claim.now;
  cost += claim.price.cost(claim.now);
  held += claim.held;
  held_cost += claim.price.cost(claim.held);
}

void Steady::remove(const Job& job, Duration priority_step) {
  Claim like;
  like.id = job.id;
  like.order.place = job.waits.place;
  like.order.user_priority = risen_priority(job.spec_of(job.alternative).user_priority,
                                            job.times.submitted, priority_step);
  auto it = std::lower_bound(claims.begin(), claims.end(), like, stands_before);
  WM_CHECK(it != claims.end() && it->id == job.id);
  tasks -= it->now;
  cost -= it->price.cost(it->now);
  held -= it->held;
  held_cost -= it->price.cost(it->held);
  claims.erase(it);
}

}  // namespace wm::sched
