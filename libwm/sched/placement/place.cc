#include "libwm/sched/placement/place.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "libwm/sched/placement/reserve.h"

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
  auto count = [&](const QueueConf* queue, const Claim& claim) {
    if (claim.pending() || !queue || !queue->host_slots) return;  // parked: pending, too
    for (const Task& task : claim.job->tasks) {
      auto at = static_cast<std::uint32_t>(room_at(rooms_.base(), task.host));
      if (task.holds_slot()) ++queue_slots_[{queue, at}];
    }
  };
  for (const auto* some : {&claims.all, &claims.ending})
    for (const Claim& claim : *some) count(claims.requests[claim.request].queue, claim);
  for (const Steady& group : claims.steady) {
    const QueueConf* queue = claims.requests[group.request].queue;
    if (!queue || !queue->host_slots) continue;
    for (const Claim& claim : group.claims) count(queue, claim);
  }
  if (claims.rules.any_on_hosts()) count_all_rules();
}

// Span, exclusive use and the queue's slots per host.
std::int64_t Places::cap_on_host(const Claim& claim, const HostCapacity& room, std::uint32_t at,
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
  if (claims_.rules.any_on_hosts()) {
    for (const RuleFor& rule : claims_.rules.on_host(claim.spec(), *room.host)) {
      auto it = rule_use_.find({rule.key, at});
      std::int64_t left = rule.limit - (it == rule_use_.end() ? 0 : it->second);
      cap = std::min(cap, tasks_for(rule.counts, claim.spec(), left, here > 0));
    }
  }
  return std::max<std::int64_t>(0, cap);
}

void Places::count_all_rules() {
  auto count = [&](const Claim& claim) {
    TasksByRoom has;
    for (const Task& task : claim.job->tasks)
      if (!claim.pending() && task.holds_slot())
        ++has[static_cast<std::uint32_t>(room_at(rooms_.base(), task.host))];
    for (const auto& [at, tasks] : has) count_rules(claim, at, tasks, false);
  };
  for (const auto* some : {&claims_.all, &claims_.ending})
    for (const Claim& claim : *some) count(claim);
  for (const Steady& group : claims_.steady)
    for (const Claim& claim : group.claims) count(claim);
}

// Tasks on hosts that a limit bounds host by host.
void Places::count_rules(const Claim& claim, std::uint32_t at, std::int64_t tasks, bool is_there) {
  if (!claims_.rules.any_on_hosts() || at >= rooms_.size()) return;
  for (const RuleFor& rule : claims_.rules.on_host(claim.spec(), *rooms_[at].host))
    rule_use_[{rule.key, at}] += cost_on_host(rule.counts, claim.spec(), tasks, is_there);
}

std::int64_t Places::fits_in(const Claim& claim, const HostCapacity& room, std::uint32_t at,
                             When when, std::int64_t most, const TasksByRoom& has) const {
  most = bare_fits(claim, room, at, when, most, has);
  return held_ && most > 0 ? held_->allows(*this, claim, at, when, most, has) : most;
}

std::int64_t Places::bare_fits(const Claim& claim, const HostCapacity& room, std::uint32_t at,
                               When when, std::int64_t most, const TasksByRoom& has) const {
  std::int64_t slots = room.now.slots + (when == When::Future ? room.coming.slots : 0);
  if (slots <= 0) return 0;
  most = std::min(most, cap_on_host(claim, room, at, has));
  bool is_there = value_at(has, at) > 0;
  std::int64_t fits = most > 0 ? fit(room, claim.spec().task, when, most, is_there) : 0;
  // What is fewer than a block goes nowhere, unless it is all that is wanted.
  std::int64_t block = claim.spec().span.block;
  return block > 1 && fits < most ? fits - fits % block : fits;
}

// Hosts without room for a single task stay so for the rest of the pass.
void Places::skip_full(Request& request, const Claim& claim) {
  const Positions& roomy = claims_.tally.roomy();
  auto is_full = [&](std::uint32_t at) {
    return request.suits[at] != Suits::Yes || fit(rooms_[at], claim.spec().task, When::Now, 1) == 0;
  };
  while (request.cursor < roomy.size() && is_full(roomy[request.cursor])) ++request.cursor;
}

// Hosts with room now, enough of them to choose from and to hold all; host order.
std::vector<Share> Places::with_room(const Claim& claim, std::int64_t tasks,
                                     const TasksByRoom& has) {
  Request& request = claims_.requests[claim.request];
  skip_full(request, claim);
  std::int64_t least = least_on_host(claim, tasks, !has.empty()), total = 0;
  std::vector<Share> found;
  const Positions& roomy = claims_.tally.roomy();
  for (std::size_t i = request.cursor; i < roomy.size(); ++i) {
    std::uint32_t room = roomy[i];
    if (request.suits[room] != Suits::Yes) continue;
    std::int64_t n = fits(claim, room, When::Now, tasks, has);
    if (n < std::min(least, tasks)) continue;
    found.push_back({room, n});
    total += n;
    bool ideal = (claim.price.gpu ? n : beside_gpus(found.back())) == tasks;
    if (ideal || (found.size() >= hosts_looked_at_ && total >= tasks)) break;
  }
  return found;
}

// Slots that are not needed beside a free GPU: where a job without GPUs does no harm.
std::int64_t Places::beside_gpus(const Share& share) const {
  const HostCapacity& room = rooms_[share.room];
  auto free = std::count(room.gpus.begin(), room.gpus.end(), GpuUse::Free);
  return std::clamp<std::int64_t>(room.now.slots - free, 0, share.tasks);
}

// Without GPUs: what leaves every free GPU a slot, and no more of the others than it takes; of
// those where there are most.
std::vector<Share> Places::spare_gpus(std::vector<Share> found, std::int64_t tasks) const {
  std::vector<Share> spared;
  for (Share& share : found) {
    std::int64_t n = beside_gpus(share);
    spared.push_back({share.room, n});
    share.tasks -= n;
    tasks -= n;
  }
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return found[a].tasks > found[b].tasks; });
  for (std::size_t at : order) {
    std::int64_t n = std::clamp<std::int64_t>(tasks, 0, found[at].tasks);
    spared[at].tasks += n;
    tasks -= n;
  }
  std::erase_if(spared, [](const Share& share) { return share.tasks == 0; });
  return spared;
}

std::vector<Share> Places::choose(const Claim& claim, std::int64_t tasks, bool whole,
                                  const TasksByRoom& has) {
  if (!request(claim).plain()) return lay_out_now(claim, tasks, whole, has);
  std::vector<Share> found = with_room(claim, tasks, has), chosen;
  if (!claim.price.gpu && claim.spec().span == Span{}) found = spare_gpus(std::move(found), tasks);
  std::stable_sort(found.begin(), found.end(), [&](const Share& a, const Share& b) {
    bool beside_a = has.count(a.room) > 0, beside_b = has.count(b.room) > 0;
    return beside_a != beside_b ? beside_a : a.tasks > b.tasks;
  });
  for (const Share& share : found) {
    if (tasks == 0) break;
    chosen.push_back({share.room, std::min(share.tasks, tasks)});
    tasks -= chosen.back().tasks;
  }
  if (whole && tasks > 0) chosen.clear();
  return chosen;
}

// ---- other policies than packing, and rules between hosts ----------------------------------

std::uint32_t Places::unit_of(const Request& request, std::uint32_t room) const {
  return claims_.switches.above(claims_.switches.of(room), request.unit.level);
}

// Every host that can take some now, or in future; as the request prefers them.
std::vector<Share> Places::offers(const Claim& claim, std::int64_t tasks, When when,
                                  const TasksByRoom& has) const {
  const Request& request = claims_.requests[claim.request];
  std::int64_t least = std::min(least_on_host(claim, tasks, !has.empty()), tasks);
  std::set<std::uint32_t> busy;
  for (std::uint32_t i = 0; i < rooms_.size() && request.unit.exclusive; ++i) {
    bool others = when == When::Now ? rooms_[i].jobs > value_at(has, i) : rooms_[i].exclusive;
    if (others) busy.insert(unit_of(request, i));
  }
  std::vector<Share> found;
  for (std::uint32_t room : request.hosts) {
    if (request.unit.exclusive && busy.count(unit_of(request, room))) continue;
    std::int64_t n = fits(claim, room, when, tasks, has);
    if (n >= least) found.push_back({room, n});
  }
  return found;
}

// What a job has already binds what it gets: its group of same[], and no unit beyond maxcus.
void Places::keep_near(const Claim& claim, const TasksByRoom& has,
                       std::vector<Share>& found) const {
  const Request& request = claims_.requests[claim.request];
  if (has.empty() || !request.binds()) return;
  std::set<std::uint32_t> units;
  for (const auto& [room, tasks] : has) units.insert(unit_of(request, room));
  bool full = request.unit.max_units > 0 && units.size() >= request.unit.max_units;
  std::erase_if(found, [&](const Share& share) {
    bool other =
        !request.groups.empty() && request.groups[share.room] != request.groups[has.begin()->first];
    return other || (full && !units.count(unit_of(request, share.room)));
  });
}

LayoutRules Places::rules_of(const Claim& claim, std::int64_t tasks, bool whole,
                             const std::vector<Share>& found) const {
  const Request& request = claims_.requests[claim.request];
  LayoutRules rules{request.placing, tasks, whole, request.unit, &claims_.switches, {}, {}};
  for (const Share& share : found)
    if (!request.groups.empty()) rules.groups.push_back(request.groups[share.room]);
  return rules;
}

std::vector<Share> Places::lay_out_now(const Claim& claim, std::int64_t tasks, bool whole,
                                       const TasksByRoom& has) {
  auto found = offers(claim, tasks, When::Now, has);
  keep_near(claim, has, found);
  LayoutRules rules = rules_of(claim, tasks, whole, found);
  for (const auto& [room, n] : has) rules.held.push_back(room);
  return lay_out(found, rules);
}

std::vector<Share> Places::choose_coming(const Claim& claim, std::int64_t tasks) {
  auto found = offers(claim, tasks, When::Future, {});
  return lay_out(found, rules_of(claim, tasks, true, found));
}

Positions Places::worth_a_look(const Positions& more) const {
  Positions rooms = claims_.tally.roomy();
  auto add = [&](const Positions& others) {
    rooms.insert(rooms.end(), others.begin(), others.end());
  };
  add(rooms_.edited());
  add(more);
  std::sort(rooms.begin(), rooms.end());
  rooms.erase(std::unique(rooms.begin(), rooms.end()), rooms.end());
  return rooms;
}

// As the request prefers them.
Positions Places::hosts_among(const Request& request, const Positions& worth) const {
  Positions hosts;
  if (request.placing != Placing::InOrder) {
    for (std::uint32_t at : worth)
      if (request.suits[at] == Suits::Yes) hosts.push_back(at);
    return hosts;
  }
  for (std::uint32_t at : request.hosts)
    if (std::binary_search(worth.begin(), worth.end(), at)) hosts.push_back(at);
  return hosts;
}

std::vector<Positions> Places::host_sets(const Claim& claim, const Positions& worth) const {
  const Request& request = claims_.requests[claim.request];
  if (request.unit.exclusive) return {};
  Positions hosts = hosts_among(request, worth);
  if (!request.binds()) return {std::move(hosts)};
  bool few = request.unit.max_units > 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> parts;
  for (std::uint32_t room : hosts) {
    std::uint32_t group = request.groups.empty() ? 0 : request.groups[room];
    parts[{group, few ? unit_of(request, room) : 0}].push_back(room);
  }
  std::vector<Positions> sets;
  for (auto& [key, rooms] : parts) sets.push_back(std::move(rooms));
  return sets;
}

Positions Places::near_hosts(const Claim& claim, const TasksByRoom& has,
                             const Positions& worth) const {
  const Request& request = claims_.requests[claim.request];
  Positions hosts = hosts_among(request, worth);
  if (!request.binds()) return hosts;
  std::vector<Share> all;
  for (std::uint32_t room : hosts) all.push_back({room, 0});
  keep_near(claim, has, all);
  hosts.clear();
  for (const Share& share : all) hosts.push_back(share.room);
  return hosts;
}

// cu[excl]: nobody else in the units that it got.
void Places::close_units(const Request& request, const Share& share) {
  std::uint32_t unit = unit_of(request, share.room);
  for (std::uint32_t i = 0; i < rooms_.size(); ++i) {
    if (unit_of(request, i) != unit) continue;
    remember(i);
    rooms_.edit(i).exclusive = true;
  }
}

std::vector<Spot> Places::take(const Claim& claim, const Share& share, const TasksByRoom& has) {
  const Request& request = claims_.requests[claim.request];
  remember(share.room);
  HostCapacity& room = rooms_.edit(share.room);
  bool is_there = value_at(has, share.room) > 0;
  auto gpus = sched::take(room, claim.spec().task, share.tasks, is_there);
  if (claim.spec().exclusive) room.exclusive = true;
  if (request.unit.exclusive) close_units(request, share);
  if (request.queue && request.queue->host_slots) {
    queue_slots_[{request.queue, share.room}] += share.tasks;
  }
  count_rules(claim, share.room, share.tasks, is_there);
  std::vector<Spot> spots;
  for (auto& indexes : gpus) spots.push_back({room.host->id, std::move(indexes)});
  return spots;
}

bool Places::fit_slots(const Claim& claim, const TasksByRoom& had) const {
  const TaskRequest& task = claim.spec().task;
  std::int64_t tasks = 0;
  for (const auto& [at, count] : had) {
    const HostCapacity& room = rooms_[at];
    bool heard = room.host->state == HostState::Ok && !room.is_closed(When::Now);
    if (!heard || room.now.slots < count || room.now.milli_cpus < count * task.milli_cpus)
      return false;
    tasks += count;
  }
  return tasks == claim.min;
}

TasksByRoom Places::take_slots(const Claim& claim, const TasksByRoom& had) {
  std::int64_t cpus = claim.spec().task.milli_cpus;
  TasksByRoom taken;
  for (const auto& [at, count] : had) {
    remember(at);
    HostCapacity& room = rooms_.edit(at);
    std::int64_t free = std::clamp<std::int64_t>(room.now.slots, 0, count);
    if (cpus > 0) free = std::clamp<std::int64_t>(room.now.milli_cpus / cpus, 0, free);
    room.now.slots -= free;
    room.now.milli_cpus -= free * cpus;
    taken[at] = free;
  }
  return taken;
}

void Places::return_slots(const Claim& claim, const TasksByRoom& taken) {
  for (const auto& [at, count] : taken) {
    HostCapacity& room = rooms_.edit(at);
    room.now.slots += count;
    room.now.milli_cpus += count * claim.spec().task.milli_cpus;
  }
}

void Places::release(const Claim& claim, std::uint32_t room, const Task& task, bool parks) {
  remember(room);
  TaskRequest held = held_by(*claim.job);
  if (parks) held.mem = Bytes{0};
  sched::release(rooms_.edit(room), claim.id, held, task);
}

void Places::remember(std::uint32_t room) {
  if (trying_) before_.push_back({room, rooms_[room]});
}

void Places::begin() {
  trying_ = true;
  before_.clear();
  slots_before_ = queue_slots_;
  rules_before_ = rule_use_;
}

void Places::rollback() {
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    rooms_.edit(it->first) = std::move(it->second);
  }
  queue_slots_ = std::move(slots_before_);
  rule_use_ = std::move(rules_before_);
  trying_ = false;
}

void Places::commit() { trying_ = false; }

}  // namespace wm::sched
