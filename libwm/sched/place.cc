#include "libwm/sched/place.h"

#include <algorithm>

#include "libwm/sched/reserve.h"

namespace wm::sched {
namespace {

std::int64_t value_at(const TasksByRoom& counts, std::uint32_t key) {
  auto it = counts.find(key);
  return it == counts.end() ? 0 : it->second;
}

// Tasks that a host must take at once for a fresh job: span[ptile=N] is not "up to N".
std::int64_t least_on_host(const Claim& claim, std::int64_t tasks, bool grows) {
  const Span& span = claim.spec().span;
  if (span.one_host) return grows ? 1 : tasks;
  return span.ptile && !grows ? std::min<std::int64_t>(span.ptile, tasks) : 1;
}

}  // namespace

Places::Places(Claims& claims, std::uint32_t hosts_looked_at)
    : claims_(claims), rooms_(claims.rooms), hosts_looked_at_(std::max(1u, hosts_looked_at)) {
  for (std::size_t i = 0; i < claims.requests.size(); ++i) claims.requests[i].cursor = 0;
  for (const Claim& claim : claims.all) {
    const QueueConf* queue = claims.requests[claim.request].queue;
    if (claim.pending() || !queue || !queue->host_slots) continue;
    for (const Task& task : claim.job->tasks) {
      auto at = static_cast<std::uint32_t>(room_at(rooms_, task.host));
      if (task.holds_slot()) ++queue_slots_[{queue, at}];
    }
  }
}

// Span, exclusive use and the queue's slots per host.
std::int64_t Places::cap_on_host(const Claim& claim, const Room& room, std::uint32_t at,
                                 const TasksByRoom& has) const {
  std::int64_t cap = kNoLimit, here = value_at(has, at);
  const Request& request = claims_.requests[claim.request];
  const Span& span = claim.spec().span;
  if (span.one_host && !has.empty() && here == 0) return 0;
  if (span.ptile) cap = std::int64_t{span.ptile} - here;
  if (claim.spec().exclusive && room.jobs > here) return 0;
  if (request.queue && request.queue->host_slots) {
    auto it = queue_slots_.find({request.queue, at});
    std::int64_t used = it == queue_slots_.end() ? 0 : it->second;
    cap = std::min(cap, std::int64_t{request.queue->host_slots} - used);
  }
  return std::max<std::int64_t>(0, cap);
}

std::int64_t Places::fits_in(const Claim& claim, const Room& room, std::uint32_t at, When when,
                             std::int64_t most, const TasksByRoom& has) const {
  most = bare_fits(claim, room, at, when, most, has);
  return held_ && most > 0 ? held_->allows(*this, claim, at, when, most, has) : most;
}

std::int64_t Places::bare_fits(const Claim& claim, const Room& room, std::uint32_t at, When when,
                               std::int64_t most, const TasksByRoom& has) const {
  most = std::min(most, cap_on_host(claim, room, at, has));
  bool holds_gpus = value_at(has, at) > 0;
  return most > 0 ? fit(room, claim.spec().task, when, most, holds_gpus) : 0;
}

// Hosts without room for a single task stay so for the rest of the pass.
void Places::skip_full(Request& request, const Claim& claim) {
  while (request.cursor < request.hosts.size() &&
         fit(rooms_[request.hosts[request.cursor]], claim.spec().task, When::Now, 1) == 0) {
    ++request.cursor;
  }
}

// Hosts with room now, enough of them to choose from and to hold all; host order.
std::vector<Share> Places::with_room(const Claim& claim, std::int64_t tasks,
                                     const TasksByRoom& has) {
  Request& request = claims_.requests[claim.request];
  skip_full(request, claim);
  std::int64_t least = least_on_host(claim, tasks, !has.empty()), total = 0;
  std::vector<Share> found;
  for (std::size_t i = request.cursor; i < request.hosts.size(); ++i) {
    std::uint32_t room = request.hosts[i];
    std::int64_t n = fits(claim, room, When::Now, tasks, has);
    if (n < std::min(least, tasks)) continue;
    found.push_back({room, n});
    total += n;
    bool ideal = (claim.gpu ? n : beside_gpus(found.back())) == tasks;
    if (ideal || (found.size() >= hosts_looked_at_ && total >= tasks)) break;
  }
  return found;
}

// Slots that are not needed beside a free GPU: where a job without GPUs does no harm.
std::int64_t Places::beside_gpus(const Share& share) const {
  const Room& room = rooms_[share.room];
  auto free = std::count(room.gpus.begin(), room.gpus.end(), GpuUse::Free);
  return std::clamp<std::int64_t>(room.now.slots - free, 0, share.tasks);
}

// Without GPUs: what leaves every free GPU a slot, if that is enough.
std::vector<Share> Places::spare_gpus(const std::vector<Share>& found, std::int64_t tasks) const {
  std::vector<Share> harmless;
  std::int64_t total = 0;
  for (const Share& share : found) {
    std::int64_t n = beside_gpus(share);
    if (n > 0) harmless.push_back({share.room, n});
    total += n;
  }
  return total >= tasks ? harmless : found;
}

std::vector<Share> Places::choose(const Claim& claim, std::int64_t tasks, bool whole,
                                  const TasksByRoom& has) {
  std::vector<Share> found = with_room(claim, tasks, has), chosen;
  if (!claim.gpu && claim.spec().span == Span{}) found = spare_gpus(found, tasks);
  std::stable_sort(found.begin(), found.end(),
                   [](const Share& a, const Share& b) { return a.tasks > b.tasks; });
  for (const Share& share : found) {
    if (tasks == 0) break;
    chosen.push_back({share.room, std::min(share.tasks, tasks)});
    tasks -= chosen.back().tasks;
  }
  if (whole && tasks > 0) chosen.clear();
  return chosen;
}

std::vector<Spot> Places::take(const Claim& claim, const Share& share, const TasksByRoom& has) {
  const Request& request = claims_.requests[claim.request];
  remember(share.room);
  Room& room = rooms_[share.room];
  auto gpus = sched::take(room, claim.spec().task, share.tasks, value_at(has, share.room) > 0);
  if (claim.spec().exclusive) room.exclusive = true;
  if (request.queue && request.queue->host_slots) {
    queue_slots_[{request.queue, share.room}] += share.tasks;
  }
  std::vector<Spot> spots;
  for (auto& indexes : gpus) spots.push_back({room.host->id, std::move(indexes)});
  return spots;
}

void Places::release(const Claim& claim, std::uint32_t room, const Task& task) {
  remember(room);
  sched::release(rooms_[room], claim.id, claim.spec().task, task);
}

void Places::remember(std::uint32_t room) {
  if (trying_) before_.push_back({room, rooms_[room]});
}

void Places::begin() {
  trying_ = true;
  before_.clear();
  slots_before_ = queue_slots_;
}

void Places::rollback() {
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    rooms_[it->first] = std::move(it->second);
  }
  queue_slots_ = std::move(slots_before_);
  trying_ = false;
}

void Places::commit() { trying_ = false; }

}  // namespace wm::sched
