#include "libwm/sched/amounts/targets.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "libwm/sched/amounts/speeds.h"
#include "libwm/sched/amounts/take_over.h"
#include "libwm/sched/demand/order.h"

namespace wm::sched {
namespace {

constexpr int kMaxFills = 16;

// What one user in one plan has running that cannot be resized, summed up once a round.
struct Fixed {
  Units floor = 0, now = 0;
  const Claim *first = nullptr, *last = nullptr;  // in dispatch order
};

// The claims of one user in one plan, in dispatch order.
struct User {
  Fixed fixed;
  std::vector<Claim*> claims;  // all others
  const Claim* first() const {
    if (claims.empty() || !fixed.first) return claims.empty() ? fixed.first : claims.front();
    return goes_before(*fixed.first, *claims.front()) ? fixed.first : claims.front();
  }
  const Claim* last() const {
    if (claims.empty() || !fixed.last) return claims.empty() ? fixed.last : claims.back();
    return goes_before(*fixed.last, *claims.back()) ? claims.back() : fixed.last;
  }
  Units used = 0;
  const Claim* waiting = nullptr;  // the first with a minimum that was not covered
};

// First which claims start; where some start from what others give, how that would be divided if
// nothing ran yet; then how much each gets.
enum class Phase { Admit, Settle, Size };

// One kind of capacity divided among the claims that are counted in it.
class Division {
 public:
  Division(const std::vector<Claim*>& claims, const std::map<int, Fixed>& fixed, PlanTree tree,
           Phase phase);
  Units run(Units capacity);

 private:
  void load_leaf(int node, const User& user);
  void load_demand(int node, const User& user, Units free);
  bool fill(Units capacity);
  void divide(int node, User& user, Units amount);
  static Units keep_or_yield(Claim& claim, User& user, Units left);
  Units admit(User& user, Units left);
  Units share_surplus(User& user, Units left, bool fair);
  bool cap_latest(const std::vector<Units>& amounts);

  Units wanted_of(const Claim& claim) const {
    return phase_ == Phase::Admit ? claim.copies : claim.admitted;
  }
  Units now(const Claim& claim) const {
    return phase_ == Phase::Size ? claim.price.cost(claim.now) : 0;
  }

  PlanTree tree_;
  Phase phase_;
  std::map<int, User> users_;
};

Division::Division(const std::vector<Claim*>& claims, const std::map<int, Fixed>& fixed,
                   PlanTree tree, Phase phase)
    : tree_(std::move(tree)), phase_(phase) {
  for (const auto& [node, use] : fixed) users_[node].fixed = use;
  for (Claim* claim : claims) users_[claim->user_node].claims.push_back(claim);
  for (auto& [node, user] : users_) load_leaf(node, user);
}

void Division::load_leaf(int node, const User& user) {
  ShareNode& leaf = tree_.nodes[node];
  leaf.rank = user.first()->order.rank;
  leaf.sequence = user.first()->sequence();
  leaf.floor = user.fixed.floor;
  if (phase_ == Phase::Size) leaf.now = user.fixed.now;
  for (const Claim* claim : user.claims) {
    bool settled = claim->pending() && phase_ != Phase::Admit;
    if (settled) leaf.floor += claim->admitted * claim->price.cost(claim->min);
    else leaf.floor += claim->price.cost(claim->due ? claim->min : claim->floor);
    leaf.now += now(*claim);
  }
}

// One that was promised this date, or for which others made way, comes before every share and, of
// its user's, before those that stand before it.
bool is_entitled(const Claim& claim) {
  return claim.pending() && (claim.due || claim.floor > 0) && claim.barred == Barred::No;
}

// What is `free` beside all floors is the most that a job can start with. If its minimum is more,
// the job demands nothing: it would keep from others what it cannot use.
void Division::load_demand(int node, const User& user, Units free) {
  ShareNode& leaf = tree_.nodes[node];
  leaf.demand = user.fixed.floor;
  for (const Claim* claim : user.claims) {
    bool starts = claim->pending() && phase_ == Phase::Admit && !is_entitled(*claim);
    if (claim->barred != Barred::No || (starts && claim->price.cost(claim->min) > free)) continue;
    Units copies = claim->pending() ? wanted_of(*claim) : claim->copies;
    leaf.demand += copies * claim->price.cost(claim->most());
  }
  leaf.demand = std::max(leaf.floor, std::min(leaf.demand, kNoLimit));
}

// It has its minimum while that lasts, in its turn, as if it waited for it: what it gives up it
// would not get back in the next pass. Returns what it takes.
Units Division::keep_or_yield(Claim& claim, User& user, Units left) {
  Units least = claim.price.cost(claim.min);
  if (left >= least && claim.most() >= claim.min) {
    claim.target = claim.min;
    return least;
  }
  if (!user.waiting) user.waiting = &claim;
  return 0;
}

// Pending claims in order get their minimum while it lasts; returns what is left.
Units Division::admit(User& user, Units left) {
  user.waiting = nullptr;
  for (Claim* claim : user.claims) {
    if (is_entitled(*claim) && wanted_of(*claim) > 0) left -= claim->price.cost(claim->min);
  }
  for (Claim* claim : user.claims) {
    if (claim->yields()) left -= keep_or_yield(*claim, user, left);
    if (!claim->pending()) continue;
    Units wanted = wanted_of(*claim);
    claim->admitted = 0;
    if (claim->barred != Barred::No || wanted == 0) continue;
    if (claim->rest) {
      if (!user.waiting) user.waiting = claim;
      continue;
    }
    Units least = claim->price.cost(claim->min);
    Units first = is_entitled(*claim) ? 1 : 0;  // paid for already
    auto more = std::min<Units>(wanted - first, std::max<Units>(0, left) / least);
    Units copies = first + more;
    claim->admitted = static_cast<std::uint32_t>(copies);
    claim->target = claim->min;
    left -= more * least;
    if (copies < claim->copies && !user.waiting) user.waiting = claim;
  }
  return left;
}

bool may_grow(const Claim& claim) {
  if (claim.kind == ClaimKind::Fixed || claim.most() <= claim.min) return false;
  if (claim.yields() && claim.target < claim.min) return false;
  return !claim.pending() || (claim.admitted == 1 && claim.copies == 1);
}

// What is left goes equally to those that can use it; returns what nobody could.
Units Division::share_surplus(User& user, Units left, bool fair) {
  std::vector<Claim*> growing;
  std::vector<Portion> portions;
  Units amount = left;
  bool by_speed = false, by_gain = false;
  for (Claim* claim : user.claims) {
    if (!may_grow(*claim)) continue;
    by_gain = by_gain || claim->gain.known;
    by_speed = by_speed || by_gain || claim->gain.curve || claim->gain.weight < 1 ||
               claim->gain.sizes != UsefulSizes::Any;
    Units low = claim->price.cost(claim->min);
    growing.push_back(claim);
    portions.push_back({low, claim->price.cost(claim->most()), 1, now(*claim), claim->order.rank,
                        claim->sequence()});
    amount += low;
  }
  if (fair && by_speed) {
    return share_by_speed(growing, left, by_gain ? ElasticShare::Gain : ElasticShare::Equal);
  }
  auto amounts = fair ? fill_fairly(portions, amount) : fill_in_order(portions, amount);
  for (std::size_t i = 0; i < growing.size(); ++i) {
    auto tasks = std::min<std::int64_t>(growing[i]->price.affords(amounts[i]), growing[i]->most());
    growing[i]->target = growing[i]->suiting(static_cast<std::uint32_t>(tasks));
    amount -= growing[i]->price.cost(growing[i]->target);
  }
  for (Claim* claim : growing) {
    Units step = claim->step();
    bool more = claim->target < claim->most() && step <= amount;
    if (!more || !claim->suits(claim->target + 1)) continue;
    ++claim->target;
    amount -= step;
  }
  return amount;
}

void Division::divide(int node, User& user, Units amount) {
  Units left = amount - user.fixed.floor;
  for (Claim* claim : user.claims) {
    if (claim->pending()) continue;
    claim->target = claim->floor;
    left -= claim->price.cost(claim->floor);
  }
  left = admit(user, left);
  int plan = tree_.nodes[node].parent;
  left = share_surplus(user, left, tree_.nodes[plan].policy == SharePolicy::Fairshare);
  user.used = amount - left;
}

// Users who could not use their amount are capped at what they used: the later half of
// them, so that an earlier one may yet get enough for its next job.
bool Division::cap_latest(const std::vector<Units>& amounts) {
  std::vector<std::pair<const Claim*, int>> idle;
  for (auto& [node, user] : users_) {
    if (user.used == amounts[node]) continue;
    idle.push_back({user.waiting ? user.waiting : user.last(), node});
  }
  std::sort(idle.begin(), idle.end(),
            [](const auto& a, const auto& b) { return goes_before(*b.first, *a.first); });
  for (std::size_t i = 0; i < (idle.size() + 1) / 2; ++i) {
    int node = idle[i].second;
    tree_.nodes[node].demand = users_[node].used;
  }
  return !idle.empty();
}

bool Division::fill(Units capacity) {
  auto amounts = fill_shares(tree_.nodes, capacity);
  for (auto& [node, user] : users_) divide(node, user, amounts[node]);
  return cap_latest(amounts);
}

Units Division::run(Units capacity) {
  Units free = capacity;
  for (const auto& [node, user] : users_) free -= tree_.nodes[node].floor;
  for (const auto& [node, user] : users_) load_demand(node, user, free);
  for (int round = 0; round < kMaxFills && fill(capacity); ++round) {
  }
  Units used = 0;
  for (auto& [node, user] : users_) used += user.used;
  return std::max<Units>(0, capacity - kept_back(tree_.nodes) - used);
}

using Excess = std::vector<std::pair<const Claim*, Units>>;

// One class of claims: those that compete, and what is settled.
struct Class {
  bool gpu = false;
  bool starting = false;  // who starts is settled: they count as what runs
  Contest contest;
  std::map<int, Fixed> fixed;  // by node
};

void add_fixed(Fixed& use, const Claim& first, const Claim& last) {
  if (!use.first || goes_before(first, *use.first)) use.first = &first;
  if (!use.last || goes_before(*use.last, last)) use.last = &last;
}

Class class_of(std::vector<Claim>& claims, const std::vector<Steady>& steady, bool gpu,
               const PlanTree& tree) {
  Class mine;
  mine.gpu = gpu;
  std::vector<Fixed> fixed(tree.nodes.size());
  mine.contest.fixed.resize(tree.nodes.size());
  auto settle = [&](int node, Units cost, const Claim& first, const Claim& last) {
    Fixed& use = fixed[node];
    use.floor += cost;
    use.now += cost;
    add_fixed(use, first, last);
    mine.contest.fixed[node] += cost;
  };
  for (Claim& claim : claims) {
    if (claim.price.gpu != gpu) continue;
    claim.admitted = 0;
    claim.ceiling = ~0u;
    if (claim.kind != ClaimKind::Fixed) {
      mine.contest.claims.push_back(&claim);
      continue;
    }
    claim.target = claim.floor;
    settle(claim.user_node, claim.price.cost(claim.floor), claim, claim);
  }
  for (const Steady& group : steady) {
    if (group.gpu == gpu && !group.claims.empty())
      settle(group.user_node, group.cost, group.claims.front(), group.claims.back());
  }
  for (std::size_t node = 0; node < fixed.size(); ++node)
    if (fixed[node].first) mine.fixed[static_cast<int>(node)] = fixed[node];
  return mine;
}

// The lowest queue with elastic jobs that have something to give; only higher queues are paid.
int lowest_payer(const Class& mine) {
  int rank = std::numeric_limits<int>::min();
  for (const Claim* claim : mine.contest.claims) {
    bool pays = claim->target > (claim->pending() ? claim->min : claim->floor) &&
                (!claim->pending() || claim->admitted > 0);
    if (pays) rank = std::max(rank, claim->order.rank);
  }
  return rank;
}

// A claim, and the node of its user.
struct Overdrawn {
  const Claim* claim;
  int node;
};

// What a claim holds whatever is divided.
Units held_anyway(const Claim& claim, bool starting) {
  Units floor = claim.price.cost(claim.floor);
  bool starts = starting && claim.pending();
  return starts ? std::max(floor, claim.admitted * claim.price.cost(claim.min)) : floor;
}

// It runs, or starts, and cannot be resized.
bool is_rigid(const Claim& claim, bool starting) {
  bool starts = starting && claim.pending() && claim.admitted > 0 && !claim.resizes;
  return claim.kind == ClaimKind::Fixed || starts;
}

// Rigid jobs that run or start, of higher queues than `below`, of users who have less left than
// nothing.
std::vector<Overdrawn> overdrawn(const std::vector<Claim>& claims,
                                 const std::vector<Steady>& steady, const Class& mine,
                                 const std::vector<Units>& left, int below) {
  std::vector<Overdrawn> found;
  auto add = [&](const Claim& claim, int node) {
    if (claim.price.gpu == mine.gpu && left[node] < 0 && claim.order.rank < below)
      found.push_back({&claim, node});
  };
  for (const Claim& claim : claims) add(claim, claim.user_node);
  for (const Steady& group : steady) {
    bool any = group.gpu == mine.gpu && left[group.user_node] < 0 && !group.claims.empty() &&
               group.claims.front().order.rank < below;
    for (std::size_t i = 0; any && i < group.claims.size(); ++i)
      add(group.claims[i], group.user_node);
  }
  std::sort(found.begin(), found.end(),
            [](const Overdrawn& a, const Overdrawn& b) { return goes_before(*a.claim, *b.claim); });
  return found;
}

// Rigid jobs that run beyond what filling would give their user if nothing ran yet; a user's
// later jobs are beyond before the earlier. Only those for which somebody could pay.
Excess excess_of(const std::vector<Claim>& claims, const std::vector<Steady>& steady, PlanTree tree,
                 const Class& mine, Units capacity) {
  int payer = lowest_payer(mine);
  if (payer == std::numeric_limits<int>::min()) return {};
  for (const auto& [node, use] : mine.fixed) tree.nodes[node].demand += use.floor;
  for (const Claim* claim : mine.contest.claims) {
    Units demand = claim->barred == Barred::No ? claim->copies * claim->price.cost(claim->max) : 0;
    tree.nodes[claim->user_node].demand += demand;
  }
  std::vector<Units> amounts = fill_shares(tree.nodes, capacity), left = amounts;
  for (const auto& [node, use] : mine.fixed) left[node] -= use.floor;
  for (const Claim* claim : mine.contest.claims)
    left[claim->user_node] -= held_anyway(*claim, mine.starting);
  if (std::none_of(left.begin(), left.end(), [](Units units) { return units < 0; })) return {};
  Excess excess;
  for (const auto& [claim, node] : overdrawn(claims, steady, mine, left, payer)) {
    Units held = held_anyway(*claim, mine.starting);
    amounts[node] -= held;
    Units over = std::min(held, -amounts[node]);
    if (is_rigid(*claim, mine.starting) && over > 0) excess.push_back({claim, over});
  }
  return excess;
}

// For claims that start from what others give: finds who pays as if they ran already. Else some
// would give now and get it back in the next pass, and others give instead.
void settle_payers(const std::vector<Claim>& claims, const std::vector<Steady>& steady, Class& mine,
                   const PlanTree& tree, Units capacity) {
  mine.starting = true;
  for (Claim* claim : mine.contest.claims) claim->ceiling = ~0u;
  Division(mine.contest.claims, mine.fixed, tree, Phase::Settle).run(capacity);
  auto excess = excess_of(claims, steady, tree, mine, capacity);
  if (!excess.empty()) charge(mine.contest, tree, excess);
}

// Runs one class of claims; returns what of the capacity nobody of it could use.
Units divide_class(std::vector<Claim>& claims, const std::vector<Steady>& steady, bool gpu,
                   const PlanTree& tree, Units capacity) {
  Class mine = class_of(claims, steady, gpu, tree);
  const auto& contest = mine.contest;
  Units spare = Division(contest.claims, mine.fixed, tree, Phase::Admit).run(capacity);
  if (auto excess = excess_of(claims, steady, tree, mine, capacity); !excess.empty()) {
    charge(contest, tree, excess);
    spare = Division(contest.claims, mine.fixed, tree, Phase::Admit).run(capacity);
  }
  if (take_over(contest, tree, spare)) settle_payers(claims, steady, mine, tree, capacity);
  spare = Division(contest.claims, mine.fixed, tree, Phase::Size).run(capacity);
  return grow_into(contest, tree, spare);
}

bool is_open(const std::vector<HostCapacity>& rooms, HostId host) {
  std::size_t at = room_at(rooms, host);
  return at < rooms.size() && rooms[at].open;
}

}  // namespace

Capacities capacities_of(const Claims& claims) {
  Capacities sum{claims.tally.slots(), claims.tally.gpus()};
  const Positions& closed = claims.tally.closed();
  for (std::uint32_t at : closed) {
    sum.slots += claims.steady_on[at].slots;
    sum.gpus += claims.steady_on[at].gpus;
  }
  for (const Claim& claim : claims.all) {
    if (claim.pending() || closed.empty()) continue;
    for (const Task& task : claim.job->tasks) {
      if (!is_wanted(task) || is_open(claims.rooms, task.host)) continue;
      ++sum.slots;
      sum.gpus += std::ssize(task.gpus);
    }
  }
  return {sum.slots, std::max<Units>(0, sum.gpus - claims.stuck_gpus)};
}

Spare set_targets(std::vector<Claim>& claims, PlanTree tree, Capacities capacities,
                  const std::vector<Steady>& steady) {
  Spare spare;
  spare.gpus = divide_class(claims, steady, true, tree, capacities.gpus);
  Units taken = 0;
  for (const Claim& claim : claims) {
    if (!claim.price.gpu) continue;
    taken += claim.pending() ? Units{claim.admitted} * claim.target : Units{claim.target};
  }
  for (const Steady& group : steady) taken += group.gpu ? group.tasks : 0;
  Units slots = std::max<Units>(0, capacities.slots - taken);
  spare.slots = divide_class(claims, steady, false, tree, slots);
  return spare;
}

}  // namespace wm::sched
