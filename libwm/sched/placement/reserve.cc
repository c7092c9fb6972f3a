#include "libwm/sched/placement/reserve.h"

#include <algorithm>
#include <set>
#include <utility>

#include "libwm/sched/demand/order.h"

namespace wm::sched {
namespace {

PlanUse running_use(const Claims& claims, const PlanTree& tree, bool gpu) {
  PlanUse use(tree);
  for (const Claim& claim : claims.all) {
    if (!claim.pending() && claim.price.gpu == gpu)
      use.add(claim.user_node, claim.price.cost(claim.now));
  }
  for (const Steady& group : claims.steady)
    if (group.gpu == gpu) use.add(group.user_node, group.cost);
  return use;
}

bool is_promised(const Claim& claim) {
  return claim.pending() && !claim.parked && claim.barred == Barred::No &&
         claim.job->waits.promised != WallTime{};
}

// Takes the free room for its minimum, if there is enough.
bool take_now(Places& places, const Claim& claim) {
  auto shares = places.choose(claim, claim.min, true, {});
  for (const Share& share : shares) places.take(claim, share, {});
  return !shares.empty();
}

constexpr std::uint64_t kAlike = 16;  // so much cheaper is the date of the next that asks the same

// In strict order the first that does not fit ends it; a claim that fits needs no share.
void mark_in_order(Claims& claims, const PlanTree& tree, const SchedPolicy& policy) {
  PlanUse slots = running_use(claims, tree, false), gpus = running_use(claims, tree, true);
  Places places(claims, policy.hosts_looked_at);
  for (Claim& claim : claims.all) {
    PlanUse& use = claim.price.gpu ? gpus : slots;
    Units cost = claim.price.cost(claim.min);
    bool may = claim.pending() && claim.barred == Barred::No && use.allows(claim.user_node, cost);
    if (!may) continue;
    if (claim.rest) return;
    claim.due = take_now(places, claim);
    if (!claim.due) return;
    use.add(claim.user_node, cost);
  }
}

}  // namespace

void mark_reserved(Claims& claims) {
  std::map<const Reservation*, std::int64_t> left;
  for (const KeptSlots& kept : claims.kept.all)
    if (kept.active) left[kept.of] += kept.slots - kept.used;
  if (left.empty()) return;
  for (Claim& claim : claims.all) {
    if (!claim.reserved || !claim.pending() || claim.barred != Barred::No) continue;
    for (auto& [reservation, slots] : left) {
      if (reservation->name != claim.spec().reservation || slots < claim.min) continue;
      claim.due = true;
      slots -= claim.min;
    }
  }
}

void mark_due(Claims& claims, const PlanTree& tree, const SchedPolicy& policy, Clock clock) {
  if (policy.backfill == Backfill::None) return mark_in_order(claims, tree, policy);
  if (std::none_of(claims.all.begin(), claims.all.end(), is_promised)) return;
  PlanUse slots = running_use(claims, tree, false), gpus = running_use(claims, tree, true);
  Places places(claims, policy.hosts_looked_at);
  for (Claim& claim : claims.all) {
    if (!is_promised(claim)) continue;
    PlanUse& use = claim.price.gpu ? gpus : slots;
    Units cost = claim.price.cost(claim.min);
    bool has_come = claim.job->waits.promised <= clock.now + clock.grace;
    bool due = use.allows(claim.user_node, cost) && (take_now(places, claim) || has_come);
    claim.due = due;
    // Passed by once, it would stand in the way of those that are promised its places after it.
    if (due && has_come) claim.floor = claim.min;
    if (due) use.add(claim.user_node, cost);
    if (policy.backfill != Backfill::Conservative) return;
  }
}

Reservations::Reservations(const Claims& claims, const PlanTree& tree, const SchedPolicy& policy,
                           Timeline& timeline)
    : claims_(claims),
      policy_(policy),
      timeline_(timeline),
      clock_(timeline.clock),
      slots_(running_use(claims, tree, false)),
      gpus_(running_use(claims, tree, true)),
      advance_(std::make_unique<Advance>(claims, clock_.now, clock_.grace)) {}

// Waits for room, and for nothing that no date would bring.
bool Reservations::may_hold(const Claim& claim) const {
  if (claim.barred == Barred::Limit || claim.copies == 0 || claim.reserved) return false;
  return (claim.price.gpu ? gpus_ : slots_).allows(claim.user_node, claim.price.cost(claim.min));
}

void Reservations::hold_for(const Claim& claim, Places& places) {
  bool more = policy_.backfill == Backfill::Conservative || !first_;
  if (!more || !may_hold(claim)) return;
  if (policy_.backfill == Backfill::None) {
    first_ = &claim;
    return;
  }
  auto date = date_of(claim, places);
  if (!date) return;
  if (!first_) first_ = &claim;
  dates_.back().holds = true;
  for (const Share& share : date->shares) held_[share.room] = true;
  if (keeps(claim)) dates_.back().places = places_of(date->shares);
}

std::vector<Share> Reservations::promised_shares(const Claim& claim) const {
  std::vector<Share> shares;
  std::int64_t tasks = 0;
  for (const PromisedPlace& place : claim.job->waits.places) {
    auto room = static_cast<std::uint32_t>(room_at(claims_.rooms, place.host));
    if (room >= claims_.rooms.size() || !claims_.rooms[room].open) return {};
    shares.push_back({room, std::int64_t{place.tasks}});
    tasks += shares.back().tasks;
  }
  return tasks == claim.min ? shares : std::vector<Share>{};
}

// A promised window may begin up to reclaim_grace late: a job at its run limit needs that long to
// leave. The places stay kept meanwhile. The window's end stays where it was, or the next promise
// of the same places would not fit.
std::optional<Window> Reservations::promised_window(const Claim& claim,
                                                    const std::vector<Share>& shares,
                                                    Places& places) const {
  WallTime from = std::max(claim.job->waits.promised, clock_.now);
  WallTime until =
      std::max(window_from(claim.job->waits.promised, claim.limit).until, from + clock_.grace);
  for (WallTime at : {from, from + clock_.grace}) {
    Window window{at, std::max(until, at + clock_.grace)};
    bool fits = std::all_of(shares.begin(), shares.end(), [&](const Share& share) {
      return skyline_->fits(places, claim, share.room, window, share.tasks, {}) >= share.tasks;
    });
    if (fits) return Window{from, until};
  }
  return std::nullopt;
}

void Reservations::keep(Places& places) {
  if (policy_.backfill != Backfill::Conservative) return;
  std::vector<const Claim*> promised;
  for (const Claim& claim : claims_.all) {
    // One that found no place in an earlier round of this pass as well.
    bool has = claim.pending() && !claim.rest && !claim.job->waits.places.empty();
    if (has && claim.job->state != JobState::Array && may_hold(claim)) promised.push_back(&claim);
  }
  if (promised.empty()) return;
  // Where not all can stay, a host having failed, the earlier ones do.
  std::stable_sort(promised.begin(), promised.end(), [](const Claim* a, const Claim* b) {
    return a->job->waits.promised < b->job->waits.promised;
  });
  build();
  for (const Claim* claim : promised) {
    std::vector<Share> shares = promised_shares(*claim);
    auto window = shares.empty() ? std::nullopt : promised_window(*claim, shares, places);
    if (!window) continue;
    for (const Share& share : shares) held_[share.room] = true;
    kept_.insert({claim, {std::move(shares), *window}});
    take_back(*claim);
  }
}

void Reservations::let_go(const Claim& claim) {
  auto kept = kept_.find(&claim);
  if (kept != kept_.end()) skyline_->vacate(claim, kept->second.shares);
}

void Reservations::take_back(const Claim& claim) {
  auto kept = kept_.find(&claim);
  if (kept == kept_.end()) return;
  for (const Share& share : kept->second.shares) {
    skyline_->occupy(claim, share, kept->second.window);
  }
}

std::vector<PromisedPlace> Reservations::places_of(const std::vector<Share>& shares) const {
  std::vector<PromisedPlace> places;
  for (const Share& share : shares) {
    auto tasks = static_cast<std::uint32_t>(share.tasks);
    places.push_back({claims_.rooms[share.room].host->id, tasks});
  }
  return places;
}

// What it was promised, as it was.
Dated Reservations::again(const Claim& claim) {
  take_back(claim);
  dates_.push_back({claim.id, claim.job->waits.promised});
  return {claim.job->waits.promised, kept_.at(&claim).shares};
}

// Hosts to be looked at for a date: all of them for the first that asks so.
std::uint64_t Reservations::price_of(const Claim& claim, bool alike) const {
  std::uint64_t hosts = claims_.requests[claim.request].hosts.size();
  return alike || (skyline_ && skyline_->knows(claim)) ? hosts / kAlike + 1 : hosts;
}

// In the order in which they were given.
std::vector<const Claim*> Reservations::affordable(const std::vector<const Claim*>& waiting) const {
  std::vector<std::size_t> order;
  auto is_urgent = [&](std::size_t i) { return waiting[i]->job->waits.promised <= clock_.now; };
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (is_urgent(i)) order.push_back(i);
  auto minutes = std::chrono::duration_cast<std::chrono::minutes>(clock_.now.time_since_epoch());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    std::size_t turn = (i + static_cast<std::size_t>(minutes.count())) % waiting.size();
    if (!is_urgent(turn)) order.push_back(turn);
  }
  std::vector<bool> chosen(waiting.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> kinds;
  std::uint64_t work = work_;
  for (std::size_t i : order) {
    bool alike = !kinds.insert({waiting[i]->request, waiting[i]->min}).second;
    work += price_of(*waiting[i], alike);
    chosen[i] = work <= policy_.max_date_work;
  }
  std::vector<const Claim*> some;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (chosen[i]) some.push_back(waiting[i]);
  return some;
}

void Reservations::estimate(const std::vector<const Claim*>& waiting, Places& places) {
  estimating_ = true;
  for (const Claim* claim : affordable(waiting)) {
    bool known = std::any_of(dates_.begin(), dates_.end(),
                             [&](const DatedStart& date) { return date.job == claim->id; });
    if (!known && may_hold(*claim)) date_of(*claim, places);
  }
}

// Its date, noted; from then on it occupies what it was promised.
std::optional<Dated> Reservations::date_of(const Claim& claim, Places& places) {
  // A claim that holds places is promised them: that comes before knowing when others will start.
  constexpr std::uint64_t kHolding = 10;
  bool holds = policy_.backfill == Backfill::Conservative && !estimating_;
  std::uint64_t most = policy_.max_date_work * (holds ? kHolding : 1);
  if (keeps(claim) && work_ > most) return again(claim);
  if ((dates_.size() >= policy_.max_promises && !keeps(claim)) || work_ > most) return std::nullopt;
  if (!skyline_) build();
  work_ += price_of(claim, false);
  bool was_promised = claim.job->waits.promised != WallTime{};
  Search search{claim.limit};
  if (keeps(claim)) search.before = claim.job->waits.promised - policy_.promise_tolerance;
  auto date = skyline_->earliest(places, claim, search);
  // A date moves only together with what is stored of it, or others could be given its old places.
  if (keeps(claim) && !date) return again(claim);
  // It fits as soon as others give: what it lacks is not room but shares.
  if (date && date->at <= clock_.now + clock_.grace && !was_promised) return std::nullopt;
  if (date || was_promised) dates_.push_back({claim.id, date ? date->at : WallTime{}});
  if (!date) return std::nullopt;
  Window window = window_from(date->at, claim.limit);
  for (const Share& share : date->shares) skyline_->occupy(claim, share, window);
  if (holds) kept_.insert_or_assign(&claim, Kept{date->shares, window});
  return date;
}

void Reservations::build() {
  bool known = timeline_.skyline.has_value();
  if (!known) timeline_.skyline.emplace(claims_.rooms, clock_.now, clock_.grace, &claims_.ends);
  skyline_ = &*timeline_.skyline;
  skyline_->clear();
  held_.assign(claims_.rooms.size(), false);
  for (const Claim& claim : claims_.all) {
    if (!known && !claim.pending() && !claim.timed) add_ends(claim);
  }
  advance_->occupy_in(*skyline_);
  for (const auto& [claim, share, window] : taken_) skyline_->occupy(*claim, share, window);
}

void Reservations::add_ends(const Claim& claim) {
  // Beyond its limit it is being ended just now.
  auto counted = [&](WallTime at) { return at > clock_.now ? at : clock_.now + clock_.grace; };
  each_end(claim, [&](const Task& task, WallTime at) {
    auto room = static_cast<std::uint32_t>(room_at(claims_.rooms, task.host));
    if (room < claims_.rooms.size()) skyline_->release(room, *claim.job, task, counted(at));
  });
}

std::vector<const Claim*> Reservations::holders() const {
  std::vector<const Claim*> all;
  for (const auto& [claim, kept] : kept_) all.push_back(claim);
  if (first_ && !keeps(*first_)) all.push_back(first_);
  return all;
}

bool Reservations::bars(const Claim& claim) const {
  return policy_.backfill == Backfill::None && first_ && !claim.reserved &&
         goes_before(*first_, claim);
}

// The dates of others count with the end that it was promised: a moment too late is no bar.
Window Reservations::window_if(const Claim& claim, WallTime from) const {
  Window window = window_from(from, claim.limit);
  auto kept = kept_.find(&claim);
  if (kept != kept_.end() && kept->second.window.until > from)
    window.until = std::min(window.until, kept->second.window.until);
  return window;
}

std::int64_t Reservations::allows(const Places& places, const Claim& claim, std::uint32_t room,
                                  When when, std::int64_t most, const TasksByRoom& has) const {
  if (advance_->any()) most = advance_->allows(places, claim, room, when, most, has);
  if (claim.reserved || most <= 0) return most;
  bool own = &claim == first_ && policy_.backfill == Backfill::Easy;
  if (!skyline_ || !held_[room] || own || passes_freely(claim)) return most;
  Window window = window_if(claim, clock_.now);
  if (when == When::Future) window = after_others(claim);
  return skyline_->fits(places, claim, room, window, most, has);
}

// From when others have left.
Window Reservations::after_others(const Claim& claim) const {
  WallTime from = clock_.now + clock_.grace;
  return {from, window_if(claim, from + extra_).until};
}

void Reservations::leave(std::uint32_t room, const Job& job, const Task& task, bool parks) {
  if (skyline_ && held_[room]) skyline_->leave(room, job, task, parks);
}

void Reservations::move(const Claim& claim, const std::vector<Share>& shares) {
  auto kept = kept_.find(&claim);
  bool stays = &claim == first_ && kept == kept_.end();  // at its date: easy
  if (!skyline_ || stays) return;
  Window window = after_others(claim);
  take_back(claim);  // until it starts that is stored of it, and kept first in the next pass
  if (kept != kept_.end()) kept->second = {shares, window};
  for (const Share& share : shares) skyline_->occupy(claim, share, window);
}

void Reservations::occupy(const Claim& claim, const Share& share, When when) {
  advance_->occupy(claim, share, when);
  if (claim.reserved || passes_freely(claim)) return;
  Window window = window_from(clock_.now, claim.limit);
  if (when == When::Future)
    window.until = window_from(clock_.now + clock_.grace, claim.limit).until;
  taken_.push_back({&claim, share, window});
  if (skyline_) skyline_->occupy(claim, share, window);
}

void Reservations::begin() {
  mark_ = taken_.size();
  advance_->begin();
  if (skyline_) skyline_->begin();
}

void Reservations::rollback() {
  taken_.resize(mark_);
  advance_->rollback();
  if (skyline_) skyline_->rollback();
}

void Reservations::commit() {
  advance_->commit();
  if (skyline_) skyline_->commit();
}

}  // namespace wm::sched
