#include "libwm/sched/placement/starts.h"

#include <algorithm>

namespace wm::sched {

// Back to where its processes are, whatever its user's share: it has run before.
bool Starts::go_on(Claim& claim) {
  TasksByRoom has = board_.rooms_of(*claim.job);
  bool fits = !board_.held.bars(claim) && board_.gates.room(claim) >= claim.min &&
              board_.places.fit_slots(claim, has);
  if (claim.barred == Barred::Limit || !fits) return false;
  board_.places.take_slots(claim, has);
  Placed& placed = board_.placed[&claim];
  placed.starts.push_back({claim.id, {}, claim.alternative});
  placed.has = std::move(has);
  placed.tasks = placed.ready = claim.min;
  board_.gates.add(claim, claim.min, 1);
  if (claim.admitted > 0) return true;
  claim.admitted = 1;
  claim.target = claim.min;
  return true;
}

// What it cannot use yet is kept for it as far as it is free, or those behind it would take its
// places one by one.
bool Starts::go_on_or_hold(Claim& claim) {
  if (go_on(claim)) return true;
  kept_.push_back({&claim, board_.places.take_slots(claim, board_.rooms_of(*claim.job))});
  if (claim.admitted == 0) return true;
  claim.floor = 0;
  give_up(claim, 0);
  claim.barred = Barred::Unplaced;
  return false;
}

void Starts::offer_kept(bool offered) {
  for (auto& [claim, rooms] : kept_) {
    if (offered) board_.places.return_slots(*claim, rooms);
    else rooms = board_.places.take_slots(*claim, rooms);
  }
}

bool Starts::start_now(Claim& claim) {
  if (board_.held.bars(claim)) return false;
  if (board_.gates.room(claim) < claim.min) return false;
  auto shares = board_.places.choose(claim, claim.min, true, {});
  if (!shares.empty()) start_at(claim, shares);
  return !shares.empty();
}

void Starts::start_at(Claim& claim, const std::vector<Share>& shares) {
  Placed& placed = board_.placed[&claim];
  Start start{board_.copy_id(claim, placed.starts.size()), {}, claim.alternative};
  placed.has.clear();  // of this copy
  for (const Share& share : shares) board_.grant(claim, share, start.tasks, placed);
  board_.gates.add(claim, std::ssize(start.tasks), 1);
  placed.starts.push_back(std::move(start));
}

// The tasks that an elastic newcomer is to have on its first host; 0: wherever they fit.
std::int64_t Starts::on_first_host(const Claim& claim) {
  const Request& request = board_.places.request(claim);
  bool asks = claim.price.gpu && claim.resizes && grows_beyond_start(claim) &&
              claim.target > claim.min && board_.places.packs(claim);
  if (!asks || board_.held.bars(claim)) return 0;
  auto [widest, is_new] = widest_.try_emplace(claim.request, 0);
  for (std::size_t i = 0; is_new && i < request.hosts.size(); ++i) {
    std::int64_t gpus = std::ssize(board_.places.room(request.hosts[i]).gpus);
    widest->second = std::max(widest->second, gpus);
  }
  auto tasks = std::min<std::int64_t>(claim.target, widest->second / gpus_of(claim.spec().task));
  return tasks > claim.min && board_.gates.room(claim) >= tasks ? tasks : 0;
}

// All that it is to have there, or as many as one host can take if nobody has to move for it.
bool Starts::start_on_one_host(Claim& claim) {
  std::int64_t all = on_first_host(claim);
  for (std::int64_t tasks = all; tasks > claim.min; --tasks)
    if (start_on_one_host(claim, tasks, tasks < all)) return true;
  return false;
}

bool Starts::start_on_one_host(Claim& claim, std::int64_t tasks, bool gently) {
  if (auto shares = board_.places.choose(claim, tasks, true, {}); shares.size() == 1) {
    start_at(claim, shares);
    return true;
  }
  auto failed = scattered_.find({claim.request, gently});
  if (failed != scattered_.end() && tasks >= failed->second) return false;
  auto hosts =
      board_.places.host_sets(claim, board_.places.worth_a_look(board_.donors.clearable()));
  auto room = board_.donors.clear_host(claim, tasks, gently ? 0 : tasks, hosts.front());
  if (!room) {
    scattered_[{claim.request, gently}] = tasks;
    return false;
  }
  if (board_.places.fits(claim, *room, When::Now, tasks, {}) < tasks)
    return promises_.promise_on(claim, tasks, {*room});
  start_at(claim, {{*room, tasks}});
  return true;
}

bool Starts::start_all(Claim& claim) {
  for (std::uint32_t copy = 0; copy < claim.admitted; ++copy) {
    bool placed = !failed_.is_hopeless(claim) &&
                  (start_on_one_host(claim) || start_now(claim) || promises_.promise_start(claim));
    if (placed) continue;
    failed_.remember(claim);
    claim.floor = 0;  // not owed what it has no place for
    give_up(claim, copy);
    if (copy == 0) claim.barred = Barred::Unplaced;
    else claim.copies = copy;
    return false;
  }
  return true;
}

// What a claim was given but has no place for goes to the next of its user that it suffices
// for, now: a round of filling for each would not get far down a long queue.
void Starts::hand_down(Claim& claim) {
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
void Starts::give_up(Claim& claim, std::uint32_t placed) {
  unused_[{claim.user_node, claim.price.gpu}] +=
      (claim.admitted - placed) * claim.price.cost(claim.target);
  claim.admitted = placed;
}

Units Starts::unused(bool gpu) const {
  Units sum = 0;
  for (const auto& [owner, units] : unused_) sum += owner.second == gpu ? units : 0;
  return sum;
}

bool Starts::start_or_hold(Claim& claim) {
  if (claim.parked) return go_on_or_hold(claim);
  hand_down(claim);
  board_.held.let_go(claim);
  bool all = claim.admitted == 0 || start_all(claim);
  auto it = board_.placed.find(&claim);
  bool comes = board_.promises.count(&claim) > 0;  // as soon as others have left
  bool waits = it == board_.placed.end() || (it->second.starts.empty() && !comes);
  if (waits) board_.held.hold_for(claim, board_.places);
  else if (comes) board_.held.take_back(claim);
  if (waits && board_.held.first() != claim.id) claim.behind = board_.held.first();
  return all;
}

// All now, each beside those before it, or none.
bool Starts::start_together(const std::vector<Claim*>& gang) {
  std::vector<std::vector<Share>> found;
  board_.places.begin();
  for (Claim* claim : gang) {
    bool fits = !failed_.is_hopeless(*claim) && !board_.held.bars(*claim) &&
                board_.gates.room(*claim) >= claim->min;
    auto shares = fits ? board_.places.choose(*claim, claim->min, true, {}) : std::vector<Share>{};
    if (shares.empty()) break;
    for (const Share& share : shares) board_.places.take(*claim, share, {});
    found.push_back(std::move(shares));
  }
  board_.places.rollback();
  if (found.size() < gang.size()) return false;
  for (std::size_t i = 0; i < gang.size(); ++i) start_at(*gang[i], found[i]);
  return true;
}

// What each lacks is made to come; a claim that has room already keeps it until then.
bool Starts::promise_together(const std::vector<Claim*>& gang) {
  return std::all_of(gang.begin(), gang.end(), [&](Claim* claim) {
    return !failed_.is_hopeless(*claim) && promises_.promise_start(*claim);
  });
}

// Groups of one job that live together start together. One that is kept out keeps the others out.
bool Starts::start_or_hold_gang(const std::vector<Claim*>& gang) {
  for (Claim* claim : gang) {
    hand_down(*claim);
    board_.held.let_go(*claim);
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
      board_.held.take_back(*claim);
      continue;
    }
    board_.held.hold_for(*claim, board_.places);
    if (board_.held.first() != claim->id) claim->behind = board_.held.first();
    if (claim->admitted == 0) continue;
    lost = true;
    claim->floor = 0;
    give_up(*claim, 0);
    claim->barred = Barred::Unplaced;
  }
  return !lost;
}

// Order: jobs with a due promise, by date; then jobs that others are making way for; then the rest
// in dispatch order. A claim that waits for room may hold some before the next claim
// is looked at.
bool Starts::start_in_order() {
  std::vector<Claim*> dated, owed, others;
  for (Claim& claim : board_.claims.all) {
    if (!claim.pending() || claim.rest) continue;
    bool has_come = claim.due && claim.job->waits.promised != WallTime{} &&
                    claim.job->waits.promised <= board_.clock.now + board_.clock.grace;
    bool is_owed =
        std::binary_search(board_.claims.owed.begin(), board_.claims.owed.end(), claim.id);
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
  if (!all) failed_.bar_hopeless();
  return all;
}

bool Starts::start_spare(Claim& claim) {
  if (claim.parked || claim.gang || failed_.is_hopeless(claim)) return false;
  bool limited = claim.barred == Barred::Limit;
  if (limited && board_.gates.room(claim) < claim.min + promises_.awaited_beside(claim))
    return false;
  board_.held.let_go(claim);
  if (!start_now(claim)) {
    board_.held.take_back(claim);
    return false;
  }
  claim.target = claim.min;
  ++claim.admitted;
  return true;
}

}  // namespace wm::sched
