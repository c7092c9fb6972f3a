#include "libwm/sched/demand/claim_maker.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "libwm/model/groups.h"
#include "libwm/sched/demand/eligible.h"
#include "libwm/sched/demand/order.h"
#include "libwm/sched/shares/windows.h"

namespace wm::sched {
namespace {

bool waits(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Array;
}

// Counted host by host: rules between hosts may still keep it out.
bool has_room_now(const Request& request, const JobSpec& spec,
                  const std::vector<HostCapacity>& rooms) {
  std::int64_t total = 0, tasks = std::max<std::uint32_t>(1, spec.min_tasks);
  for (std::uint32_t at : request.hosts) {
    std::int64_t n = fit(rooms[at], spec.task, When::Now, tasks);
    total = spec.span.one_host ? std::max(total, n) : total + n;
    if (total >= tasks) return true;
  }
  return false;
}

}  // namespace

// All hosts but those that it is to go to: its reservation's, those that bmig named.
std::vector<HostId> ClaimMaker::shut_out(const Job& job, const JobSpec& spec) const {
  const Reservation* reservation = find_reservation(cluster_, spec.reservation);
  const auto& only = job.waits.only_hosts;
  std::vector<HostId> hosts;
  for (const HostCapacity& room : claims_.rooms) {
    bool reserved = reservation && slots_on(*reservation, room.id) == 0;
    bool other = !only.empty() && !std::binary_search(only.begin(), only.end(), room.id);
    if (reserved || other) hosts.push_back(room.id);
  }
  return hosts;
}

// Hosts that lack its profile in their own configuration.
void ClaimMaker::add_gaps(const Job& job, std::vector<HostId>& barred) const {
  if (cluster_.indexes.gaps->empty()) return;
  const auto& profile = app_of(*cluster_.config, job.spec()).name;
  for (HostId host : *cluster_.indexes.gaps) {
    const auto& gaps = cluster_.hosts.find(host.value)->faults.gaps;
    auto gap = gaps.find(profile);
    if (gap != gaps.end() && now_ < gap->second) barred.push_back(host);
  }
  std::sort(barred.begin(), barred.end());
  barred.erase(std::unique(barred.begin(), barred.end()), barred.end());
}

// Without the hosts that it is just not to go to, if others would do.
std::uint32_t ClaimMaker::request_number(const Job& job, const JobSpec& spec) {
  auto barred = barred_hosts(job, now_);
  add_gaps(job, barred);
  if (!spec.reservation.empty() || !job.waits.only_hosts.empty()) {
    auto more = shut_out(job, spec), own = std::move(barred);
    barred.clear();
    std::set_union(own.begin(), own.end(), more.begin(), more.end(), std::back_inserter(barred));
  }
  auto retry = retry_of(job);
  if (retry) look_again(now_ < retry->at ? retry->at : retry->others_until);
  if (retry && now_ < retry->others_until) {
    std::vector<HostId> without;
    std::set_union(barred.begin(), barred.end(), retry->hosts.begin(), retry->hosts.end(),
                   std::back_inserter(without));
    auto others = claims_.requests.intern(spec, claims_.rooms, without);
    if (!claims_.requests[others].hosts.empty()) return others;
  }
  return claims_.requests.intern(spec, claims_.rooms, barred);
}

const Request& ClaimMaker::request_of(const Job& job, const JobSpec& spec) {
  return claims_.requests[request_number(job, spec)];
}

void ClaimMaker::look_again(WallTime at) {
  if (at <= now_) return;
  if (claims_.quiet_until == WallTime{} || at < claims_.quiet_until) claims_.quiet_until = at;
}

// Of a pending job the first alternative with room now, else the first that has hosts.
std::uint32_t ClaimMaker::alternative_of(const Job& job) {
  auto count = static_cast<std::uint32_t>(job.sealed->alternatives.size());
  if (count == 0 || !waits(job) || group_of(job)) return job.alternative;
  std::uint32_t with_hosts = 0;
  for (std::uint32_t n = count + 1; n-- > 0;) {
    const JobSpec& spec = job.spec_of(n);
    const Request& request = request_of(job, spec);
    if (!request.hosts.empty()) with_hosts = n;
  }
  for (std::uint32_t n = 0; n <= count; ++n) {
    const JobSpec& spec = job.spec_of(n);
    const Request& request = request_of(job, spec);
    if (has_room_now(request, spec, claims_.rooms)) return n;
  }
  return with_hosts;
}

std::uint32_t ClaimMaker::owner_of(const JobSpec& spec) {
  auto next = static_cast<std::uint32_t>(owners_.size());
  // Alike are only those that draw on the same budgets.
  bool apart = !cluster_.config->budgets.list.empty() || !cluster_.config->limits.empty();
  auto plan = apart ? spec.plan + "\n" + spec.project : spec.plan;
  // And those that count against the same limits and goals.
  if (!spec.job_group.empty()) plan += "\n" + spec.job_group;
  if (!spec.service_class.empty()) plan += "\n-" + spec.service_class;
  return owners_.try_emplace({std::move(plan), spec.owner.user}, next).first->second;
}

JobOrder ClaimMaker::order_of(const Claim& claim) const {
  const QueueConf* queue = claims_.requests[claim.request].queue;
  return queue ? queue->order : JobOrder::Fcfs;
}

std::uint32_t ClaimMaker::fair_rank(const std::string& user) {
  if (!order_) order_.emplace(cluster_, now_);
  return order_->rank(user);
}

std::uint32_t ClaimMaker::order_rank(const Claim& claim) {
  const Job& job = *claim.job;
  switch (order_of(claim)) {
    case JobOrder::Fcfs: break;
    // Those that run stand first: in what order they do decides ties only.
    case JobOrder::Slowdown:
      return waits(job) ? slowdown_rank(now_ - job.times.submitted, claim.limit) : 0;
    case JobOrder::FairShare: return fair_rank(claim.spec().owner.user);
  }
  return 0;
}

Claim ClaimMaker::claim(const Job& job) {
  Claim claim;
  claim.id = job.id;
  claim.job = &job;
  claim.alternative = alternative_of(job);
  const JobSpec& spec = claim.spec();
  claim.owner = owner_of(spec);
  set_price(claim, spec);
  claim.request = request_number(job, spec);
  const QueueConf* queue = claims_.requests[claim.request].queue;
  claim.order.rank = queue ? -static_cast<int>(queue->priority) : 0;
  claim.order.place = job.waits.place;
  claim.order.turn = job.waits.turn;
  claim.order.user_priority = risen_priority(spec.user_priority, job.times.submitted,
                                             cluster_.config->cluster.sched.priority_step);
  claim.min = std::max<std::uint32_t>(1, spec.min_tasks);
  claim.max = std::max(claim.min, task_cap(job));
  claim.proven = run_limit_of(*cluster_.config, spec);
  claim.limit = spec.run_estimate > Duration{} ? spec.run_estimate : claim.proven;
  claim.reserved = !spec.reservation.empty();
  claim.order.by_queue = order_rank(claim);
  claim.resizes = may_resize(*cluster_.config, job);
  claim.in_place = claim.resizes && resize_mode_of(*cluster_.config, job) != ResizeMode::Restart;
  claim.gain.sizes = claim.resizes ? spec.sizes : UsefulSizes::Any;
  return claim;
}

// How long it is left alone after a change of its size.
Duration ClaimMaker::quiet_of(const Job& job) const {
  const TimeConf& times = cluster_.config->cluster.times;
  bool restarts = resize_mode_of(*cluster_.config, job) == ResizeMode::Restart;
  return restarts ? std::max(times.resize_quiet, times.restart_quiet) : times.resize_quiet;
}

// Unless its limit was lowered: that somebody asked for.
bool ClaimMaker::was_resized_lately(const Job& job) {
  Duration quiet = quiet_of(job);
  if (quiet == Duration{} || tasks_wanted(job) > task_cap(job)) return false;
  WallTime last{};
  for (const Task& task : job.tasks) {
    if (task.since > job.times.dispatched) last = std::max(last, task.since);
    if (task.state == TaskState::Gone) last = std::max(last, task.ended);
  }
  if (last == WallTime{} || now_ - last >= quiet) return false;
  look_again(last + quiet);
  return true;
}

// Nothing is known yet of how its processes find each other: those that began lately may be about
// to connect, and a change of size before that leaves some of them told of another size.
// One that is launching gives its surplus all the same: if it waited, that would wander to others.
WallTime ClaimMaker::may_meet_until(const Job& job) const {
  if (job.state == JobState::Launching) return {};
  if (resize_mode_of(*cluster_.config, job) != ResizeMode::Tasks) return {};
  if (app_of(*cluster_.config, job.spec()).resize != ResizeMode::Auto) return {};
  auto since = std::max(job.times.started, job.times.dispatched);
  auto until = since + cluster_.config->cluster.times.start_window;
  return now_ < until ? until : WallTime{};
}

bool ClaimMaker::has_setback(const Job& job) const {
  auto waits = [&](const Setback& setback) { return now_ < setback.until; };
  return now_ < job.size.grow_again ||
         std::any_of(job.size.setbacks.begin(), job.size.setbacks.end(), waits);
}

bool ClaimMaker::has_gap(const Job& job) const {
  std::vector<HostId> hosts;
  add_gaps(job, hosts);
  return !hosts.empty();
}

std::string ClaimMaker::fault_words(const Job& job) const {
  const Setback* last = nullptr;
  for (const auto& setback : job.size.setbacks)
    if (now_ < setback.until && (!last || last->until < setback.until)) last = &setback;
  if (!last) return has_gap(job) ? "hosts' own configuration lacks its profile or queue" : "";
  const Host* host = cluster_.hosts.find(last->host.value);
  return "host " + (host ? host->name : "?") +
         " could not start it and is tried again after a pause: " + last->why;
}

// A pass is due when a host may be tried again.
void ClaimMaker::await_setbacks(const Job& job) {
  if (now_ < job.size.grow_again) look_again(job.size.grow_again);
  for (const auto& setback : job.size.setbacks)
    if (now_ < setback.until) look_again(setback.until);
  const auto& profile = app_of(*cluster_.config, job.spec()).name;
  for (HostId host : *cluster_.indexes.gaps) {
    const auto& gaps = cluster_.hosts.find(host.value)->faults.gaps;
    if (auto gap = gaps.find(profile); gap != gaps.end()) look_again(gap->second);
  }
}

Claim ClaimMaker::running(const Job& job) {
  Claim claim = this->claim(job);
  claim.now = tasks_wanted(job);
  claim.held = slots_held(job);
  if (claim.reserved) claim.back = end_within(cluster_, job, end_by_limit(claim), now_);
  bool moves = has_moving_task(job);
  // Those in their place are due at once.
  bool below = claim.now < claim.min && (moves || has_lost_task(job));
  bool resizable = is_resizable(cluster_, job) && (claim.now > 0 || below);
  if (auto until = may_meet_until(job); resizable && until != WallTime{}) {
    look_again(until);
    resizable = false;
  }
  bool quiet = resizable && !below && !moves && was_resized_lately(job);
  if (quiet && !(hurried_ && claim.in_place)) resizable = false;
  claim.kind = resizable ? ClaimKind::Elastic : ClaimKind::Fixed;
  if (resizable) {
    if (quiet || is_grow_blocked(job, now_))
      claim.max = std::max(claim.min, std::min(claim.max, claim.now));
    claim.floor = std::min(claim.min, least_tasks(job));
    await_setbacks(job);
  } else {
    claim.floor = claim.min = claim.max = claim.now;
  }
  return claim;
}

// Why a pending job is no candidate, if it is none.
std::optional<PendCode> ClaimMaker::obstacle(const std::string& queue, const Claim& claim) const {
  auto standing = cluster_.queues.find(queue);
  if (standing != cluster_.queues.end() && standing->second.inactive) return PendCode::QueueClosed;
  const Request& request = claims_.requests[claim.request];
  if (!request.queue) return PendCode::QueueClosed;
  if (request.hosts.empty()) {
    const Removed& removed = request.removed;
    if (removed.closed + removed.busy >= std::max(1u, removed.silent)) return PendCode::HostsClosed;
    if (removed.silent > 0) return PendCode::HostsSilent;
    return removed.excluded > 0 ? PendCode::Excluded : PendCode::Requirement;
  }
  if (claim.copies == 0) return PendCode::ArrayLimit;
  const JobSpec& spec = claim.spec();
  if (!closed_window(*cluster_.config, spec, claim.proven, now_).empty()) return PendCode::Window;
  return std::nullopt;
}

}  // namespace wm::sched
