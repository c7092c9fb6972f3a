#include "libwm/sched/resize.h"

#include <algorithm>

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
                     std::uint32_t hosts_looked_at)
    : cluster_(cluster),
      claims_(claims),
      places_(claims, hosts_looked_at),
      donors_(claims.all, places_),
      gates_(*cluster.config, tree, claims) {}

TasksByRoom Placement::rooms_of(const Job& job) const {
  TasksByRoom has;
  for (const Task& task : job.tasks) {
    auto at = static_cast<std::uint32_t>(room_at(places_.rooms(), task.host));
    if (is_wanted(task) && at < places_.rooms().size()) ++has[at];
  }
  return has;
}

// The job itself, or the array element that starts next.
JobId Placement::copy_id(const Claim& claim, const Placed& placed) const {
  if (claim.job->state != JobState::Array) return claim.id;
  std::uint32_t position = claim.job->next_position;
  std::size_t skip = placed.starts.size();
  for (;; ++position) {
    if (cluster_.elements.find(claim.job->first_element + position)) continue;
    if (skip-- == 0) break;
  }
  return {claim.id.job, element_index(claim.spec(), position)};
}

void Placement::grant(const Claim& claim, const Share& share, std::vector<Spot>& spots,
                      Placed& placed) {
  auto more = places_.take(claim, share, placed.has);
  spots.insert(spots.end(), more.begin(), more.end());
  placed.has[share.room] += share.tasks;
  placed.tasks += share.tasks;
  placed.ready += share.tasks;
}

// Rooms only get smaller during a placing: what failed once fails again.
bool Placement::is_hopeless(const Claim& claim) const {
  auto it = failed_.find(claim.request);
  return it != failed_.end() && claim.min >= it->second;
}

bool Placement::start_now(Claim& claim) {
  if (gates_.room(claim) < claim.min) return false;
  auto shares = places_.choose(claim, claim.min, true, {});
  if (shares.empty()) return false;
  Placed& placed = placed_[&claim];
  Start start{copy_id(claim, placed), {}, claim.alternative};
  placed.has.clear();  // of this copy
  for (const Share& share : shares) grant(claim, share, start.tasks, placed);
  placed.starts.push_back(std::move(start));
  gates_.add(claim, claim.min);
  return true;
}

// Reserves up to `tasks` places of what is free, coming, or can be made to come; says how
// many. The claim waits for those that are not free.
std::int64_t Placement::promise(const Claim& claim, std::int64_t tasks, TasksByRoom& has,
                                const std::vector<std::uint32_t>& hosts) {
  Promise promise = promises_[&claim];
  std::int64_t left = tasks;
  while (left > 0) {
    std::int64_t chunk = chunk_of(claim, left, !has.empty() && claim.spec().span.one_host);
    auto room = donors_.make_room(claim, chunk, has, hosts);
    if (!room) break;
    std::int64_t now = places_.fits(claim, *room, When::Now, left, has);
    std::int64_t got = places_.fits(claim, *room, When::Future, left, has);
    places_.take(claim, {*room, got}, has);
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
  promise.tasks = std::max(promise.tasks, tasks);
}

bool Placement::promise_start(Claim& claim) {
  for (const auto& hosts : places_.host_sets(claim))
    if (promise_on(claim, hosts)) return true;
  return false;
}

bool Placement::promise_on(Claim& claim, const std::vector<std::uint32_t>& hosts) {
  TasksByRoom has;
  Promise before = promises_[&claim];
  places_.begin();
  donors_.begin();
  if (promise(claim, claim.min, has, hosts) < claim.min) {
    places_.rollback();
    donors_.rollback();
    promises_[&claim] = before;
    if (before.tasks == 0) promises_.erase(&claim);
    return false;
  }
  places_.commit();
  if (gates_.room(claim) < claim.min) open_gate(claim, claim.min);
  Placed& placed = placed_[&claim];
  placed.tasks = claim.min;
  placed.has = std::move(has);
  return true;
}

bool Placement::start_all(Claim& claim) {
  for (std::uint32_t copy = 0; copy < claim.admitted; ++copy) {
    if (!is_hopeless(claim) && (start_now(claim) || promise_start(claim))) continue;
    auto [it, is_new] = failed_.try_emplace(claim.request, claim.min);
    it->second = std::min<std::int64_t>(it->second, claim.min);
    claim.floor = 0;  // not owed what it has no place for
    if (copy == 0) claim.barred = Barred::Unplaced;
    else claim.copies = copy;
    return false;
  }
  return true;
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
    auto shares = places_.choose(claim, more, false, placed.has);
    for (const Share& share : shares) grant(claim, share, spots, placed);
    gates_.add(claim, placed.ready - ready);
  }
  if (placed.tasks < wanted && (claim.resizes || waits)) {
    bool closed = gates_.room(claim) < wanted - placed.tasks;
    auto hosts = places_.near_hosts(claim, placed.has);
    placed.tasks += promise(claim, wanted - placed.tasks, placed.has, hosts);
    if (closed) open_gate(claim, wanted - placed.ready);
  }
  if (placed.tasks >= wanted) return true;
  claim.max = std::max<std::uint32_t>(claim.min, static_cast<std::uint32_t>(placed.tasks));
  return false;
}

bool Placement::run_class(bool gpu) {
  bool all = true;
  for (Claim& claim : claims_.all) {
    bool starts = claim.gpu == gpu && claim.pending() && claim.admitted > 0;
    if (starts) all = start_all(claim) && all;
  }
  for (Claim& claim : claims_.all) {
    bool wants = claim.gpu == gpu && grows_beyond_start(claim) && claim.barred == Barred::No &&
                 claim.target > (claim.pending() ? claim.min : claim.now);
    if (wants) all = grow(claim) && all;
  }
  return all;
}

bool Placement::run() {
  bool all = true;
  donors_.release_above_limit(claims_.all);
  // GPU jobs first: a slot beside a free GPU is worth more to them.
  all = run_class(true) && all;
  return run_class(false) && all;
}

bool Placement::start_spare(Claim& claim) {
  if (is_hopeless(claim) || !start_now(claim)) return false;
  claim.target = claim.min;
  ++claim.admitted;
  return true;
}

}  // namespace wm::sched
