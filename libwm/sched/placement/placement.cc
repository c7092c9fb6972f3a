#include "libwm/sched/placement/placement.h"

#include <algorithm>

#include "libwm/sched/amounts/speeds.h"

namespace wm::sched {
namespace {

void add_once(std::vector<JobId>& jobs, const std::vector<JobId>& more) {
  for (JobId job : more) {
    if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
  }
}

std::int64_t chunk_of(const Claim& claim, std::int64_t tasks, bool grows) {
  const Span& span = claim.spec().span;
  if (grows) return 1;
  if (span.one_host) return tasks;
  std::int64_t together = span.ptile ? span.ptile : std::max<std::uint32_t>(1, span.block);
  return std::min(together, tasks);
}

bool grows_beyond_start(const Claim& claim) {
  bool started = !claim.pending() || (claim.admitted == 1 && claim.copies == 1);
  return started && claim.kind != ClaimKind::Fixed;
}

}  // namespace

Placement::Placement(const Cluster& cluster, Claims& claims, const PlanTree& tree,
                     const SchedPolicy& policy, Timeline& timeline)
    : cluster_(cluster),
      claims_(claims),
      clock_(timeline.clock),
      places_(claims, policy.hosts_looked_at),
      donors_(claims.all, places_),
      gates_(*cluster.config, tree, claims),
      held_(claims, tree, policy, timeline) {
  places_.respect(held_);
}

TasksByRoom Placement::rooms_of(const Job& job) const {
  TasksByRoom has;
  for (const Task& task : job.tasks) {
    auto at = static_cast<std::uint32_t>(room_at(places_.rooms(), task.host));
    if (is_wanted(task) && at < places_.rooms().size()) ++has[at];
  }
  return has;
}

JobId Placement::copy_id(const Claim& claim, std::size_t skip) const {
  if (claim.job->state != JobState::Array) return claim.id;
  auto eligible = claims_.eligible.find(claim.id.job);
  if (eligible != claims_.eligible.end()) return {claim.id.job, eligible->second[skip]};
  std::uint32_t position = claim.job->elements.next_position;
  for (;; ++position) {
    if (cluster_.elements.find(claim.job->elements.first + position)) continue;
    if (skip-- == 0) break;
  }
  return {claim.id.job, element_index(claim.spec(), position)};
}

void Placement::promise(const Claim& claim, const Promise& more) {
  Promise& promise = promises_[&claim];
  promise.tasks += more.tasks;
  add_once(promise.from, more.from);
}

void Placement::grant(const Claim& claim, const Share& share, std::vector<Spot>& spots,
                      Placed& placed) {
  auto more = places_.take(claim, share, placed.has);
  held_.occupy(claim, share, When::Now);
  spots.insert(spots.end(), more.begin(), more.end());
  placed.has[share.room] += share.tasks;
  placed.tasks += share.tasks;
  placed.ready += share.tasks;
}

// Rooms only get smaller during a placing: what failed once fails again.
bool Placement::is_hopeless(const Claim& claim) const {
  // What kept others out is kept for it.
  if (held_.keeps(claim) || claim.reserved) return false;
  auto it = failed_.find(claim.request);
  return it != failed_.end() && claim.min >= it->second.tasks &&
         end_if_started(claim) >= it->second.until;
}

WallTime Placement::end_if_started(const Claim& claim) const {
  return window_from(clock_.now, claim.limit).until;
}

// One that asks for less in one way and more in the other is not remembered.
void Placement::remember_failure(const Claim& claim) {
  if (claim.reserved) return;
  // While nothing is held for anybody, a shorter one fails as well.
  bool always = !held_.any();
  Failed now{claim.min, always ? WallTime::min() : end_if_started(claim)};
  auto [it, is_new] = failed_.try_emplace(claim.request, now);
  Failed& known = it->second;
  if (!is_new && now.tasks <= known.tasks && now.until <= known.until) known = now;
}

// Back to where its processes are, whatever its user's share: it has run before.
bool Placement::go_on(Claim& claim) {
  TasksByRoom has = rooms_of(*claim.job);
  bool fits =
      !held_.bars(claim) && gates_.room(claim) >= claim.min && places_.fit_slots(claim, has);
  if (claim.barred == Barred::Limit || !fits) return false;
  places_.take_slots(claim, has);
  Placed& placed = placed_[&claim];
  placed.starts.push_back({claim.id, {}, claim.alternative});
  placed.has = std::move(has);
  placed.tasks = placed.ready = claim.min;
  gates_.add(claim, claim.min, 1);
  if (claim.admitted > 0) return true;
  claim.admitted = 1;
  claim.target = claim.min;
  return true;
}

// What it cannot use yet is kept for it as far as it is free, or those behind it would take its
// places one by one.
bool Placement::go_on_or_hold(Claim& claim) {
  if (go_on(claim)) return true;
  kept_.push_back({&claim, places_.take_slots(claim, rooms_of(*claim.job))});
  if (claim.admitted == 0) return true;
  claim.floor = 0;
  give_up(claim, 0);
  claim.barred = Barred::Unplaced;
  return false;
}

void Placement::offer_kept(bool offered) {
  for (auto& [claim, rooms] : kept_) {
    if (offered) places_.return_slots(*claim, rooms);
    else rooms = places_.take_slots(*claim, rooms);
  }
}

bool Placement::start_now(Claim& claim) {
  if (held_.bars(claim)) return false;
  if (gates_.room(claim) < claim.min) return false;
  auto shares = places_.choose(claim, claim.min, true, {});
  if (!shares.empty()) start_at(claim, shares);
  return !shares.empty();
}

void Placement::start_at(Claim& claim, const std::vector<Share>& shares) {
  Placed& placed = placed_[&claim];
  Start start{copy_id(claim, placed.starts.size()), {}, claim.alternative};
  placed.has.clear();  // of this copy
  for (const Share& share : shares) grant(claim, share, start.tasks, placed);
  gates_.add(claim, std::ssize(start.tasks), 1);
  placed.starts.push_back(std::move(start));
}

// The tasks that an elastic newcomer is to have on its first host; 0: wherever they fit.
std::int64_t Placement::on_first_host(const Claim& claim) {
  const Request& request = places_.request(claim);
  bool asks = claim.price.gpu && claim.resizes && grows_beyond_start(claim) &&
              claim.target > claim.min && places_.packs(claim);
  if (!asks || held_.bars(claim)) return 0;
  auto [widest, is_new] = widest_.try_emplace(claim.request, 0);
  for (std::size_t i = 0; is_new && i < request.hosts.size(); ++i) {
    std::int64_t gpus = std::ssize(places_.room(request.hosts[i]).gpus);
    widest->second = std::max(widest->second, gpus);
  }
  auto tasks = std::min<std::int64_t>(claim.target, widest->second / gpus_of(claim.spec().task));
  return tasks > claim.min && gates_.room(claim) >= tasks ? tasks : 0;
}

// All that it is to have there, or as many as one host can take if nobody has to move for it.
bool Placement::start_on_one_host(Claim& claim) {
  std::int64_t all = on_first_host(claim);
  for (std::int64_t tasks = all; tasks > claim.min; --tasks)
    if (start_on_one_host(claim, tasks, tasks < all)) return true;
  return false;
}

bool Placement::start_on_one_host(Claim& claim, std::int64_t tasks, bool gently) {
  if (auto shares = places_.choose(claim, tasks, true, {}); shares.size() == 1) {
    start_at(claim, shares);
    return true;
  }
  auto failed = scattered_.find({claim.request, gently});
  if (failed != scattered_.end() && tasks >= failed->second) return false;
  auto hosts = places_.host_sets(claim, places_.worth_a_look(donors_.clearable()));
  auto room = donors_.clear_host(claim, tasks, gently ? 0 : tasks, hosts.front());
  if (!room) {
    scattered_[{claim.request, gently}] = tasks;
    return false;
  }
  if (places_.fits(claim, *room, When::Now, tasks, {}) < tasks)
    return promise_on(claim, tasks, {*room});
  start_at(claim, {{*room, tasks}});
  return true;
}

// Reserves up to `tasks` places of what is free, coming, or can be made to come; says how
// many. The claim waits for those that are not free.
std::int64_t Placement::promise(const Claim& claim, std::int64_t tasks, TasksByRoom& has,
                                const std::vector<std::uint32_t>& hosts) {
  auto known = promises_.find(&claim);
  Promise promise = known == promises_.end() ? Promise{} : known->second;
  std::int64_t left = tasks;
  while (left > 0) {
    std::int64_t chunk = chunk_of(claim, left, !has.empty() && claim.spec().span.one_host);
    auto room = donors_.make_room(claim, chunk, has, hosts);
    if (!room) break;
    std::int64_t now = places_.fits(claim, *room, When::Now, left, has);
    std::int64_t got = places_.fits(claim, *room, When::Future, left, has);
    places_.take(claim, {*room, got}, has);
    held_.occupy(claim, {*room, got}, When::Future);
    has[*room] += got;
    left -= got;
    promise.tasks += got - std::min(got, now);
    if (got > now) add_once(promise.from, places_.room(*room).leaving);
  }
  if (left < tasks) promises_[&claim] = promise;
  return tasks - left;
}

// A limit keeps it out: those above their target that count against it leave.
void Placement::open_gate(Claim& claim, std::int64_t tasks) {
  Promise& promise = promises_[&claim];
  for (Claim& donor : claims_.all) {
    bool gives = donor.kind == ClaimKind::Elastic && donor.now > donor.target;
    bool leaving = !donor.pending() && slots_held(*donor.job) > donor.now;
    if (!(gives || leaving) || !gates_.would_help(donor, claim, tasks)) continue;
    if (gives) donors_.release_surplus(donor, claim.id);
    add_once(promise.from, {donor.id});
  }
  for (const Claim& ending : claims_.ending)
    if (gates_.would_help(ending, claim, tasks)) add_once(promise.from, {ending.id});
  promise.tasks = std::max(promise.tasks, tasks);
}

bool Placement::promise_start(Claim& claim) {
  if (held_.bars(claim)) return false;
  for (const auto& hosts : places_.host_sets(claim, places_.worth_a_look(donors_.rooms())))
    if (promise_on(claim, claim.min, hosts)) return true;
  return false;
}

bool Placement::promise_on(Claim& claim, std::int64_t tasks,
                           const std::vector<std::uint32_t>& hosts) {
  TasksByRoom has;
  auto known = promises_.find(&claim);
  Promise before = known == promises_.end() ? Promise{} : known->second;
  places_.begin();
  donors_.begin();
  held_.begin();
  if (promise(claim, tasks, has, hosts) < tasks) {
    places_.rollback();
    donors_.rollback();
    held_.rollback();
    promises_[&claim] = before;
    if (before.tasks == 0) promises_.erase(&claim);
    return false;
  }
  places_.commit();
  held_.commit();
  if (gates_.room(claim) < tasks) open_gate(claim, tasks);
  Placed& placed = placed_[&claim];
  placed.tasks = tasks;
  placed.has = std::move(has);
  return true;
}

bool Placement::start_all(Claim& claim) {
  for (std::uint32_t copy = 0; copy < claim.admitted; ++copy) {
    bool placed = !is_hopeless(claim) &&
                  (start_on_one_host(claim) || start_now(claim) || promise_start(claim));
    if (placed) continue;
    remember_failure(claim);
    claim.floor = 0;  // not owed what it has no place for
    give_up(claim, copy);
    if (copy == 0) claim.barred = Barred::Unplaced;
    else claim.copies = copy;
    return false;
  }
  return true;
}

// The host that it has all its tasks on, if `tasks` of them on several would not be faster than
// those that it can have there.
std::optional<std::uint32_t> Placement::only_host(const Claim& claim, const Placed& placed,
                                                  std::int64_t tasks) const {
  if (!claim.gain.curve || placed.has.size() != 1 || !places_.packs(claim)) return {};
  auto [room, here] = *placed.has.begin();
  here += places_.fits(claim, room, When::Future, tasks - placed.tasks, placed.has);
  bool stays = here < tasks && !pays_apart(claim, static_cast<std::uint32_t>(here),
                                           static_cast<std::uint32_t>(tasks));
  return stays ? std::optional(room) : std::nullopt;
}

// Free ones. Of several hosts as many as are faster together, even if more are to follow.
std::vector<Share> Placement::places_to_grow(const Claim& claim, std::int64_t more,
                                             const Placed& placed) {
  auto shares = places_.choose(claim, more, false, placed.has);
  auto only = only_host(claim, placed, placed.tasks + total_of(shares));
  if (only) std::erase_if(shares, [&](const Share& share) { return share.room != *only; });
  return shares;
}

bool Placement::grow(Claim& claim) {
  Placed& placed = placed_[&claim];
  if (!claim.pending()) {
    placed.has = rooms_of(*claim.job);
    placed.tasks = placed.ready = claim.now;
  }
  std::int64_t wanted = claim.target;
  bool waits = promises_.count(&claim) > 0;
  std::vector<Spot>& spots = claim.pending() && !waits ? placed.starts.front().tasks : placed.more;
  std::int64_t room = gates_.room(claim), ready = placed.ready;
  if (!waits && placed.tasks < wanted && room > 0) {
    std::int64_t more = std::min(room, wanted - placed.tasks);
    for (const Share& share : places_to_grow(claim, more, placed))
      grant(claim, share, spots, placed);
    gates_.add(claim, placed.ready - ready, 0);
  }
  if (placed.tasks < wanted && (claim.resizes || waits)) {
    bool closed = gates_.room(claim) < wanted - placed.tasks;
    auto only = only_host(claim, placed, wanted);
    auto worth = only ? Positions{*only} : places_.worth_a_look(donors_.rooms());
    auto hosts = places_.near_hosts(claim, placed.has, worth);
    placed.tasks += promise(claim, wanted - placed.tasks, placed.has, hosts);
    if (closed) open_gate(claim, wanted - placed.ready);
  }
  if (placed.tasks >= wanted) return true;
  claim.max = std::max<std::uint32_t>(claim.min, static_cast<std::uint32_t>(placed.tasks));
  return false;
}

// What a claim was given but has no place for goes to the next of its user that it suffices
// for, now: a round of filling for each would not get far down a long queue.
void Placement::hand_down(Claim& claim) {
  if (unused_.empty()) return;
  auto it = unused_.find({claim.user_node, claim.price.gpu});
  bool waits = claim.admitted == 0 && claim.barred == Barred::No && claim.copies > 0;
  Units cost = claim.price.cost(claim.min);
  if (!waits || it == unused_.end() || cost > it->second) return;
  claim.admitted = 1;
  claim.target = claim.min;
  it->second -= cost;
}

// Of its copies only so many found places.
void Placement::give_up(Claim& claim, std::uint32_t placed) {
  unused_[{claim.user_node, claim.price.gpu}] +=
      (claim.admitted - placed) * claim.price.cost(claim.target);
  claim.admitted = placed;
}

Units Placement::unused(bool gpu) const {
  Units sum = 0;
  for (const auto& [owner, units] : unused_) sum += owner.second == gpu ? units : 0;
  return sum;
}

bool Placement::start_or_hold(Claim& claim) {
  if (claim.parked) return go_on_or_hold(claim);
  hand_down(claim);
  held_.let_go(claim);
  bool all = claim.admitted == 0 || start_all(claim);
  auto it = placed_.find(&claim);
  bool comes = promises_.count(&claim) > 0;  // as soon as others have left
  bool waits = it == placed_.end() || (it->second.starts.empty() && !comes);
  if (waits) held_.hold_for(claim, places_);
  else if (comes) held_.take_back(claim);
  if (waits && held_.first() != claim.id) claim.behind = held_.first();
  return all;
}

// All now, each beside those before it, or none.
bool Placement::start_together(const std::vector<Claim*>& gang) {
  std::vector<std::vector<Share>> found;
  places_.begin();
  for (Claim* claim : gang) {
    bool fits = !is_hopeless(*claim) && !held_.bars(*claim) && gates_.room(*claim) >= claim->min;
    auto shares = fits ? places_.choose(*claim, claim->min, true, {}) : std::vector<Share>{};
    if (shares.empty()) break;
    for (const Share& share : shares) places_.take(*claim, share, {});
    found.push_back(std::move(shares));
  }
  places_.rollback();
  if (found.size() < gang.size()) return false;
  for (std::size_t i = 0; i < gang.size(); ++i) start_at(*gang[i], found[i]);
  return true;
}

// What each lacks is made to come; a claim that has room already keeps it until then.
bool Placement::promise_together(const std::vector<Claim*>& gang) {
  return std::all_of(gang.begin(), gang.end(),
                     [&](Claim* claim) { return !is_hopeless(*claim) && promise_start(*claim); });
}

// Groups of one job that live together start together. One that is kept out keeps the others out.
bool Placement::start_or_hold_gang(const std::vector<Claim*>& gang) {
  for (Claim* claim : gang) {
    hand_down(*claim);
    held_.let_go(*claim);
  }
  bool whole = gang.size() == gang.front()->gang_size;
  bool admitted = std::all_of(gang.begin(), gang.end(), [](Claim* c) { return c->admitted > 0; });
  bool comes = false;
  if (whole && admitted) {
    if (start_together(gang)) return true;
    comes = promise_together(gang);
  }
  bool lost = false;
  for (Claim* claim : gang) {
    if (comes) {
      held_.take_back(*claim);
      continue;
    }
    held_.hold_for(*claim, places_);
    if (held_.first() != claim->id) claim->behind = held_.first();
    if (claim->admitted == 0) continue;
    lost = true;
    claim->floor = 0;
    give_up(*claim, 0);
    claim->barred = Barred::Unplaced;
  }
  return !lost;
}

// Bars claims that ask for what has just failed: the next round need not admit them to fail again.
void Placement::bar_hopeless() {
  for (Claim& claim : claims_.all) {
    bool waits = claim.pending() && claim.barred == Barred::No && claim.admitted == 0;
    if (!waits || claim.parked || !is_hopeless(claim)) continue;
    claim.barred = Barred::Unplaced;
    claim.floor = 0;
  }
}

// Order: jobs with a due promise, by date; then jobs that others are making way for; then the rest
// in dispatch order. A claim that waits for room may hold some before the next claim
// is looked at.
bool Placement::start_in_order() {
  std::vector<Claim*> dated, owed, others;
  for (Claim& claim : claims_.all) {
    if (!claim.pending() || claim.rest) continue;
    bool has_come = claim.due && claim.job->waits.promised != WallTime{} &&
                    claim.job->waits.promised <= clock_.now + clock_.grace;
    bool is_owed = std::binary_search(claims_.owed.begin(), claims_.owed.end(), claim.id);
    (has_come ? dated : is_owed ? owed : others).push_back(&claim);
  }
  std::stable_sort(dated.begin(), dated.end(), [](const Claim* a, const Claim* b) {
    return a->job->waits.promised < b->job->waits.promised;
  });
  bool all = true;
  std::map<std::uint32_t, std::vector<Claim*>> gangs;
  for (auto* turn : {&dated, &owed, &others})
    for (Claim* claim : *turn)
      if (claim->gang) gangs[claim->gang].push_back(claim);
  for (auto* turn : {&dated, &owed, &others})
    for (Claim* claim : *turn) {
      if (!claim->gang) all = start_or_hold(*claim) && all;
      else if (gangs[claim->gang].front() == claim)
        all = start_or_hold_gang(gangs[claim->gang]) && all;
    }
  if (!all) bar_hopeless();
  return all;
}

bool Placement::grow_class(bool gpu) {
  bool all = true;
  for (Claim& claim : claims_.all) {
    bool wants = claim.price.gpu == gpu && grows_beyond_start(claim) &&
                 claim.barred == Barred::No &&
                 claim.target > (claim.pending() ? claim.min : claim.now);
    if (wants) all = grow(claim) && all;
  }
  return all;
}

bool Placement::run() {
  donors_.release_above_limit(claims_.all);
  donors_.release_apart(claims_.all, clock_.now);
  held_.keep(places_);
  bool all = start_in_order();
  held_.let_grow();
  // GPU jobs first: a slot beside a free GPU is worth more to them.
  all = grow_class(true) && all;
  return grow_class(false) && all;
}

const std::vector<DatedStart>& Placement::date(const std::vector<const Claim*>& waiting) {
  held_.estimate(waiting, places_);
  return held_.dates();
}

// Tasks that are to come under its limits: of claims for which others leave, and of those that hold
// places at a date.
std::int64_t Placement::awaited_beside(const Claim& claim) const {
  std::int64_t tasks = 0;
  for (const auto& [other, promise] : promises_) {
    std::int64_t least = other->pending() ? std::max(1u, other->admitted) * other->min : 0;
    if (gates_.meet(*other, claim)) tasks += std::max(least, promise.tasks);
  }
  for (const Claim* other : held_.holders())
    if (gates_.meet(*other, claim)) tasks += other->min;
  return tasks;
}

bool Placement::start_spare(Claim& claim) {
  if (claim.parked || claim.gang || is_hopeless(claim)) return false;
  bool limited = claim.barred == Barred::Limit;
  if (limited && gates_.room(claim) < claim.min + awaited_beside(claim)) return false;
  held_.let_go(claim);
  if (!start_now(claim)) {
    held_.take_back(claim);
    return false;
  }
  claim.target = claim.min;
  ++claim.admitted;
  return true;
}

}  // namespace wm::sched
