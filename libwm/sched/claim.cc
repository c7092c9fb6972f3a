#include "libwm/sched/claim.h"

#include <algorithm>

#include "libwm/sched/eligible.h"
#include "libwm/sched/order.h"
#include "libwm/sched/past_use.h"

namespace wm::sched {
namespace {

class Collector {
 public:
  Collector(const Cluster& cluster, WallTime now, std::uint32_t max_pending)
      : cluster_(cluster), now_(now), left_(max_pending), claims_(*cluster.config) {}
  Claims run();

 private:
  void visit(const Job& job);
  void visit_array(const Job& base);
  void visit_element(const Job& job);
  std::uint32_t& startable(const Job& job);
  void add_running(const Job& job);
  void add_pending(const Job& job, std::uint32_t copies, std::uint32_t asked);
  void add_coming(const Job& job);
  bool was_resized_lately(const Job& job) const;
  Room* room_of_task(const Task& task);
  std::uint32_t alternative_of(const Job& job);
  Claim claim_of(const Job& job);
  std::uint32_t order_rank(const QueueConf& queue, const Claim& claim);
  std::optional<PendCode> obstacle(const Job& job, const Claim& claim);

  const Cluster& cluster_;
  WallTime now_;
  std::uint32_t left_;
  Claims claims_;
  std::optional<FairOrder> order_;                    // made for the first queue that asks
  std::map<std::uint32_t, std::uint32_t> startable_;  // array's number → elements that may start
};

bool waits(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Array;
}

// Counted host by host: rules between hosts may still keep it out.
bool has_room_now(const Request& request, const JobSpec& spec, const std::vector<Room>& rooms) {
  std::int64_t total = 0, tasks = std::max<std::uint32_t>(1, spec.min_tasks);
  for (std::uint32_t at : request.hosts) {
    std::int64_t n = fit(rooms[at], spec.task, When::Now, tasks);
    total = spec.span.one_host ? std::max(total, n) : total + n;
    if (total >= tasks) return true;
  }
  return false;
}

// Will this job, once it runs, take more or fewer tasks?
bool may_resize(const Cluster& cluster, const Job& job) {
  ResizeMode mode = app_of(*cluster.config, job.spec()).resize;
  return job.spec().elastic && mode != ResizeMode::Restart && mode != ResizeMode::Notify;
}

// Of a pending job the first alternative with room now, else the first that has hosts.
std::uint32_t Collector::alternative_of(const Job& job) {
  auto count = static_cast<std::uint32_t>(job.sealed->alternatives.size());
  if (count == 0 || !waits(job)) return job.alternative;
  std::uint32_t with_hosts = 0;
  for (std::uint32_t n = count + 1; n-- > 0;) {
    const JobSpec& spec = job.spec_of(n);
    const Request& request = claims_.requests[claims_.requests.intern(spec, claims_.rooms)];
    if (!request.hosts.empty()) with_hosts = n;
  }
  for (std::uint32_t n = 0; n <= count; ++n) {
    const JobSpec& spec = job.spec_of(n);
    const Request& request = claims_.requests[claims_.requests.intern(spec, claims_.rooms)];
    if (has_room_now(request, spec, claims_.rooms)) return n;
  }
  return with_hosts;
}

std::uint32_t Collector::order_rank(const QueueConf& queue, const Claim& claim) {
  const Job& job = *claim.job;
  switch (queue.order) {
    case JobOrder::Fcfs: break;
    // Those that run stand first: in what order they do decides ties only.
    case JobOrder::Slowdown:
      return waits(job) ? slowdown_rank(now_ - job.submitted, claim.limit) : 0;
    case JobOrder::FairShare:
      if (!order_) order_.emplace(cluster_, now_);
      return order_->rank(claim.spec().owner.user);
  }
  return 0;
}

Claim Collector::claim_of(const Job& job) {
  Claim claim;
  claim.id = job.id;
  claim.job = &job;
  claim.alternative = alternative_of(job);
  const JobSpec& spec = claim.spec();
  claim.gpu = spec.task.milli_gpus > 0 && !spec.task.gpu_shared;
  claim.request = claims_.requests.intern(spec, claims_.rooms);
  const QueueConf* queue = claims_.requests[claim.request].queue;
  claim.rank = queue ? -static_cast<int>(queue->priority) : 0;
  claim.place = job.place;
  claim.user_priority = spec.user_priority;
  claim.min = std::max<std::uint32_t>(1, spec.min_tasks);
  claim.max = std::max(claim.min, task_cap(job));
  claim.resizes = may_resize(cluster_, job);
  claim.limit = run_limit_of(*cluster_.config, spec);
  if (queue) claim.order_rank = order_rank(*queue, claim);
  claim.resizes = may_resize(*cluster_.config, job);
  if (claim.gpu && !spec.task.gpus_per_host) claim.each = gpus_of(spec.task);
  return claim;
}

Room* Collector::room_of_task(const Task& task) {
  std::size_t at = room_at(claims_.rooms, task.host);
  return at < claims_.rooms.size() ? &claims_.rooms[at] : nullptr;
}

bool Collector::was_resized_lately(const Job& job) const {
  Duration quiet = cluster_.config->cluster.times.resize_quiet;
  if (quiet == Duration{}) return false;
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&](const Task& task) {
    return task.since > job.dispatched && now_ - task.since < quiet;
  });
}

void Collector::add_running(const Job& job) {
  Claim claim = claim_of(job);
  claim.now = tasks_wanted(job);
  bool resizable = is_resizable(cluster_, job) && claim.now > 0 && !was_resized_lately(job);
  claim.kind = resizable ? ClaimKind::Elastic : ClaimKind::Fixed;
  if (resizable) {
    if (!job.grow_blocked.empty()) claim.max = std::max(claim.min, std::min(claim.max, claim.now));
    claim.floor = claim.min;
  } else {
    claim.floor = claim.min = claim.max = claim.now;
  }
  if (job.spec().exclusive) {
    for (const Task& task : job.tasks) {
      Room* room = task.holds_slot() ? room_of_task(task) : nullptr;
      if (room) room->exclusive = true;
    }
  }
  claims_.all.push_back(claim);
}

// What leaving and condemned tasks hold will be free; stuck ones' will not.
void Collector::add_coming(const Job& job) {
  bool ends = job.kill || job.ending || job.preempted || is_over(job.state);
  for (const Task& task : job.tasks) {
    if (!task.holds_slot() || (is_wanted(task) && !ends)) continue;
    Room* room = room_of_task(task);
    if (!room || !room->open) continue;
    if (task.state == TaskState::Stuck) claims_.stuck_gpus += std::ssize(task.gpus);
    else release(*room, job.id, held_by(job), task);
  }
}

// Why a pending job is no candidate, if it is none.
std::optional<PendCode> Collector::obstacle(const Job& job, const Claim& claim) {
  auto standing = cluster_.queues.find(job.spec().queue);
  if (standing != cluster_.queues.end() && standing->second.inactive) return PendCode::QueueClosed;
  const Request& request = claims_.requests[claim.request];
  if (!request.queue) return PendCode::QueueClosed;
  if (request.hosts.empty()) {
    const Removed& removed = request.removed;
    if (removed.closed >= std::max(1u, removed.silent)) return PendCode::HostsClosed;
    return removed.silent > 0 ? PendCode::HostsSilent : PendCode::Requirement;
  }
  if (claim.copies == 0) return PendCode::ArrayLimit;
  if (left_ == 0) return PendCode::New;
  return std::nullopt;
}

void Collector::add_pending(const Job& job, std::uint32_t copies, std::uint32_t asked) {
  Claim claim = claim_of(job);
  claim.copies = copies;
  claim.asked = asked;
  if (auto waits = not_eligible(cluster_, job, now_)) {
    claims_.idle.push_back({job.id, &job, waits->code, claim.request, std::move(waits->text)});
    return;
  }
  if (auto code = obstacle(job, claim)) {
    claims_.idle.push_back({job.id, &job, *code, claim.request});
    return;
  }
  --left_;
  claims_.all.push_back(claim);
}

void Collector::visit_array(const Job& base) {
  std::uint32_t total = element_count(base.spec()), unmade = 0;
  for (std::uint32_t p = base.next_position; p < total; ++p) {
    unmade += cluster_.elements.find(base.first_element + p) == nullptr;
  }
  std::uint32_t copies = std::min({unmade, startable(base), eligible_elements(cluster_, base)});
  if (unmade > 0) add_pending(base, copies, unmade);
}

// How many more elements of the job's array may start; all of one that is no array.
std::uint32_t& Collector::startable(const Job& job) {
  auto [it, is_new] = startable_.try_emplace(job.id.job, ~0u);
  std::uint32_t limit = job.spec().array_limit;
  const Job* base = is_new && limit ? cluster_.jobs.find(job.id.job) : nullptr;
  if (base) it->second = limit - std::min(limit, base->active_elements);
  return it->second;
}

void Collector::visit_element(const Job& job) {
  std::uint32_t& left = startable(job);
  add_pending(job, left > 0 ? 1 : 0, 1);
  if (left > 0) --left;
}

void Collector::visit(const Job& job) {
  // Whoever makes way is owed for, even one that was ended for it.
  if (job.preempted) claims_.owed.push_back(job.preempted->by);
  switch (job.state) {
    case JobState::Pending:
      if (job.id.index > 0) visit_element(job);
      else add_pending(job, 1, 1);
      break;
    case JobState::Held: claims_.idle.push_back({job.id, &job, PendCode::Held, 0}); break;
    case JobState::Array:
      if (!job.kill) visit_array(job);
      break;
    case JobState::Launching:
    case JobState::Running:
    case JobState::Suspended:
    case JobState::Unknown:
      if (!job.kill && !job.ending && !job.preempted) add_running(job);
      break;
    default: break;
  }
  if (!job.tasks.empty()) add_coming(job);
}

Claims Collector::run() {
  cluster_.hosts.each(
      [&](std::uint32_t, const Host& host) { claims_.rooms.push_back(room_of(host)); });
  claims_.switches = Switches(*cluster_.config, claims_.rooms);
  // Elements first: they take their part of an array's limit before the unmade ones.
  cluster_.elements.each([&](std::uint32_t, const Job& job) { visit(job); });
  cluster_.jobs.each([&](std::uint32_t, const Job& job) { visit(job); });
  put_in_order(claims_.all);
  return std::move(claims_);
}

}  // namespace

Units Claim::cost(std::int64_t tasks) const {
  if (tasks == 0 || !gpu || !spec().task.gpus_per_host) return tasks * each;
  std::int64_t per_host = spec().span.ptile ? spec().span.ptile : tasks;
  return gpus_of(spec().task) * ((tasks + per_host - 1) / per_host);
}

TaskRequest held_by(const Job& job) {
  TaskRequest held = job.spec().task;
  if (job.mem_released) held.mem = Bytes{0};
  return held;
}

bool is_wanted(const Task& task) {
  return !task.kill && (task.state == TaskState::Starting || task.state == TaskState::Running);
}

TaskNumber first_task(const Job& job) {
  if (!job.membership.members.empty()) return job.membership.members.front();
  TaskNumber first;
  for (const Task& task : job.tasks) {
    if (is_wanted(task) && (!first || task.number < first)) first = task.number;
  }
  return first;
}

std::size_t room_at(const std::vector<Room>& rooms, HostId host) {
  auto it = std::lower_bound(rooms.begin(), rooms.end(), host,
                             [](const Room& room, HostId id) { return room.host->id < id; });
  bool found = it != rooms.end() && it->host->id == host;
  return found ? static_cast<std::size_t>(it - rooms.begin()) : rooms.size();
}

Claims collect(const Cluster& cluster, WallTime now, std::uint32_t max_pending) {
  return Collector(cluster, now, max_pending).run();
}

}  // namespace wm::sched
