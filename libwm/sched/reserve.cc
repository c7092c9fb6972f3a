#include "libwm/sched/reserve.h"

#include <algorithm>
#include <set>
#include <utility>

#include "libwm/sched/order.h"

namespace wm::sched {
namespace {

PlanUse running_use(const Claims& claims, const PlanTree& tree, bool gpu) {
  PlanUse use(tree);
  for (const Claim& claim : claims.all) {
    if (!claim.pending() && claim.gpu == gpu) use.add(claim.user_node, claim.cost(claim.now));
  }
  return use;
}

bool is_promised(const Claim& claim) {
  return claim.pending() && !claim.parked && claim.barred == Barred::No &&
         claim.job->promised != WallTime{};
}

// Takes the free room for its minimum, if there is enough.
bool take_now(Places& places, const Claim& claim) {
  auto shares = places.choose(claim, claim.min, true, {});
  for (const Share& share : shares) places.take(claim, share, {});
  return !shares.empty();
}

constexpr std::uint64_t kAlike = 16;  // so much cheaper is the date of the next that asks the same

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

// In strict order the first that does not fit ends it; who fits needs no share.
void mark_in_order(Claims& claims, const PlanTree& tree, const SchedPolicy& policy) {
  PlanUse slots = running_use(claims, tree, false), gpus = running_use(claims, tree, true);
  Places places(claims, policy.hosts_looked_at);
  for (Claim& claim : claims.all) {
    PlanUse& use = claim.gpu ? gpus : slots;
    Units cost = claim.cost(claim.min);
    bool may = claim.pending() && claim.barred == Barred::No && use.allows(claim.user_node, cost);
    if (!may) continue;
    if (claim.rest) return;
    claim.due = take_now(places, claim);
    if (!claim.due) return;
    use.add(claim.user_node, cost);
  }
}

}  // namespace

WallTime end_of(const Claim& claim, Clock clock) {
  if (claim.limit <= Duration{}) return WallTime::max();
  const Job& job = *claim.job;
  WallTime begun = std::max(job.started, job.dispatched);
  // Beyond its limit it is being ended just now.
  return std::max(window_from(begun, claim.limit).until, clock.now + clock.grace);
}

void mark_due(Claims& claims, const PlanTree& tree, const SchedPolicy& policy, Clock clock) {
  if (policy.backfill == Backfill::None) return mark_in_order(claims, tree, policy);
  if (std::none_of(claims.all.begin(), claims.all.end(), is_promised)) return;
  PlanUse slots = running_use(claims, tree, false), gpus = running_use(claims, tree, true);
  Places places(claims, policy.hosts_looked_at);
  for (Claim& claim : claims.all) {
    if (!is_promised(claim)) continue;
    PlanUse& use = claim.gpu ? gpus : slots;
    Units cost = claim.cost(claim.min);
    bool due = use.allows(claim.user_node, cost) &&
               (take_now(places, claim) || claim.job->promised <= clock.now + clock.grace);
    claim.due = due;
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
      gpus_(running_use(claims, tree, true)) {}

// Waits for room, and for nothing that no date would bring.
bool Reservations::may_hold(const Claim& claim) const {
  if (claim.barred == Barred::Limit || claim.copies == 0) return false;
  return (claim.gpu ? gpus_ : slots_).allows(claim.user_node, claim.cost(claim.min));
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
}

// Hosts to be looked at for a date: all of them for the first that asks so.
std::uint64_t Reservations::price_of(const Claim& claim, bool alike) const {
  std::uint64_t hosts = claims_.requests[claim.request].hosts.size();
  return alike || (skyline_ && skyline_->knows(claim)) ? hosts / kAlike + 1 : hosts;
}

// In the order in which they were given.
std::vector<const Claim*> Reservations::affordable(const std::vector<const Claim*>& waiting) const {
  std::vector<std::size_t> order;
  auto is_urgent = [&](std::size_t i) { return waiting[i]->job->promised <= clock_.now; };
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
  // Who holds places is promised them: that comes before knowing when others will start.
  constexpr std::uint64_t kHolding = 10;
  bool holds = policy_.backfill == Backfill::Conservative && !estimating_;
  std::uint64_t most = policy_.max_date_work * (holds ? kHolding : 1);
  if (dates_.size() >= policy_.max_promises || work_ > most) return std::nullopt;
  if (!skyline_) build();
  work_ += price_of(claim, false);
  auto date = skyline_->earliest(places, claim, claim.limit);
  bool was_promised = claim.job->promised != WallTime{};
  // It fits as soon as others give: what it lacks is not room but shares.
  if (date && date->at <= clock_.now + clock_.grace && !was_promised) return std::nullopt;
  if (date || was_promised) dates_.push_back({claim.id, date ? date->at : WallTime{}});
  if (!date) return std::nullopt;
  for (const Share& share : date->shares) {
    skyline_->occupy(claim, share, window_from(date->at, claim.limit));
  }
  return date;
}

void Reservations::build() {
  bool known = timeline_.skyline.has_value();
  if (!known) timeline_.skyline.emplace(claims_.rooms, clock_.now, clock_.grace);
  skyline_ = &*timeline_.skyline;
  skyline_->clear();
  held_.assign(claims_.rooms.size(), false);
  for (const Claim& claim : claims_.all) {
    if (!known && !claim.pending()) add_ends(claim);
  }
  for (const auto& [claim, share] : taken_) {
    skyline_->occupy(*claim, share, window_from(clock_.now, claim->limit));
  }
}

void Reservations::add_ends(const Claim& claim) {
  WallTime end = end_of(claim, clock_);
  if (end == WallTime::max() && !claim.resizes) return;
  auto release = [&](const Task& task, WallTime at) {
    auto room = static_cast<std::uint32_t>(room_at(claims_.rooms, task.host));
    bool open = room < claims_.rooms.size() && claims_.rooms[room].open;
    if (open && at != WallTime::max()) skyline_->release(room, *claim.job, task, at);
  };
  Kept tasks = kept_of(claim);
  for (const Task* task : tasks.kept) release(*task, end);
  for (const Task* task : tasks.surplus) release(*task, clock_.now + clock_.grace);
}

bool Reservations::bars(const Claim& claim) const {
  return policy_.backfill == Backfill::None && first_ && goes_before(*first_, claim);
}

std::int64_t Reservations::allows(const Places& places, const Claim& claim, std::uint32_t room,
                                  When when, std::int64_t most, const TasksByRoom& has) const {
  if (!skyline_ || !held_[room] || passes_freely(claim)) return most;
  WallTime from = when == When::Now ? clock_.now : clock_.now + clock_.grace;
  return skyline_->fits(places, claim, room, window_from(from, claim.limit), most, has);
}

void Reservations::occupy(const Claim& claim, const Share& share) {
  if (passes_freely(claim)) return;
  taken_.push_back({&claim, share});
  if (skyline_) skyline_->occupy(claim, share, window_from(clock_.now, claim.limit));
}

void Reservations::begin() {
  mark_ = taken_.size();
  if (skyline_) skyline_->begin();
}

void Reservations::rollback() {
  taken_.resize(mark_);
  if (skyline_) skyline_->rollback();
}

void Reservations::commit() {
  if (skyline_) skyline_->commit();
}

}  // namespace wm::sched
