#include "libwm/sched/placement/promises.h"

#include <algorithm>

namespace wm::sched {
namespace {

std::int64_t chunk_of(const Claim& claim, std::int64_t tasks, bool grows) {
  const Span& span = claim.spec().span;
  if (grows) return 1;
  if (span.one_host) return tasks;
  std::int64_t together = span.ptile ? span.ptile : std::max<std::uint32_t>(1, span.block);
  return std::min(together, tasks);
}

}  // namespace

// Reserves up to `tasks` places of what is free, coming, or can be made to come; says how
// many. The claim waits for those that are not free.
std::int64_t Promises::promise(const Claim& claim, std::int64_t tasks, TasksByRoom& has,
                               const std::vector<std::uint32_t>& hosts) {
  auto known = board_.promises.find(&claim);
  Promise promise = known == board_.promises.end() ? Promise{} : known->second;
  std::int64_t left = tasks;
  while (left > 0) {
    std::int64_t chunk = chunk_of(claim, left, !has.empty() && claim.spec().span.one_host);
    auto room = board_.donors.make_room(claim, chunk, has, hosts);
    if (!room) break;
    std::int64_t now = board_.places.fits(claim, *room, When::Now, left, has);
    std::int64_t got = board_.places.fits(claim, *room, When::Future, left, has);
    board_.places.take(claim, {*room, got}, has);
    board_.held.occupy(claim, {*room, got}, When::Future);
    has[*room] += got;
    left -= got;
    promise.tasks += got - std::min(got, now);
    if (got > now) add_once(promise.from, board_.places.room(*room).leaving);
  }
  if (left < tasks) board_.promises[&claim] = promise;
  return tasks - left;
}

// A limit keeps it out: those above their target that count against it leave.
void Promises::open_gate(Claim& claim, std::int64_t tasks) {
  Promise& promise = board_.promises[&claim];
  for (Claim& donor : board_.claims.all) {
    bool gives = donor.kind == ClaimKind::Elastic && donor.now > donor.target;
    bool leaving = !donor.pending() && slots_held(*donor.job) > donor.now;
    if (!(gives || leaving) || !board_.gates.would_help(donor, claim, tasks)) continue;
    if (gives) board_.donors.release_surplus(donor, claim.id);
    add_once(promise.from, {donor.id});
  }
  for (const Claim& ending : board_.claims.ending)
    if (board_.gates.would_help(ending, claim, tasks)) add_once(promise.from, {ending.id});
  promise.tasks = std::max(promise.tasks, tasks);
}

bool Promises::promise_start(Claim& claim) {
  if (board_.held.bars(claim)) return false;
  for (const auto& hosts :
       board_.places.host_sets(claim, board_.places.worth_a_look(board_.donors.rooms())))
    if (promise_on(claim, claim.min, hosts)) return true;
  return false;
}

bool Promises::promise_on(Claim& claim, std::int64_t tasks,
                          const std::vector<std::uint32_t>& hosts) {
  TasksByRoom has;
  auto known = board_.promises.find(&claim);
  Promise before = known == board_.promises.end() ? Promise{} : known->second;
  board_.places.begin();
  board_.donors.begin();
  board_.held.begin();
  if (promise(claim, tasks, has, hosts) < tasks) {
    board_.places.rollback();
    board_.donors.rollback();
    board_.held.rollback();
    board_.promises[&claim] = before;
    if (before.tasks == 0) board_.promises.erase(&claim);
    return false;
  }
  board_.places.commit();
  board_.held.commit();
  if (board_.gates.room(claim) < tasks) open_gate(claim, tasks);
  Placed& placed = board_.placed[&claim];
  placed.tasks = tasks;
  placed.has = std::move(has);
  return true;
}

// Tasks that are to come under its limits: of claims for which others leave, and of those that hold
// places at a date.
std::int64_t Promises::awaited_beside(const Claim& claim) const {
  std::int64_t tasks = 0;
  for (const auto& [other, promise] : board_.promises) {
    std::int64_t least = other->pending() ? std::max(1u, other->admitted) * other->min : 0;
    if (board_.gates.meet(*other, claim)) tasks += std::max(least, promise.tasks);
  }
  for (const Claim* other : board_.held.holders())
    if (board_.gates.meet(*other, claim)) tasks += other->min;
  return tasks;
}

}  // namespace wm::sched
