#include "libwm/sched/amounts/take_over.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace wm::sched {
namespace {

class TakeOver {
 public:
  TakeOver(const Contest& contest, const PlanTree& tree, Units spare)
      : claims_(contest.claims), use_(tree), spare_(spare) {
    for (std::size_t node = 0; node < contest.fixed.size(); ++node)
      if (contest.fixed[node]) use_.add(static_cast<int>(node), contest.fixed[node]);
    for (Claim* claim : claims_) {
      use_.add(claim->user_node, claim->used());
      Units surplus = surplus_of(*claim);
      if (surplus > 0) surplus_[claim->order.rank] += surplus;
    }
  }
  void charge(int rank, Units units);
  bool start();
  Units grow();

 private:
  // The next claim to give is last: of the lowest queue, with most surplus, latest in order.
  using Donor = std::tuple<int, Units, std::size_t>;
  using Donors = std::set<Donor>;
  static Units surplus_of(const Claim& claim);
  void rank_donors();
  void enlist(std::size_t index);
  void strike(std::size_t index);
  Units below(int rank) const;
  bool can_take(const Claim& claim) const;
  void start_one_more(Claim& claim);
  const Donor* next_donor(int rank, bool growth_only);
  void give_one(std::size_t index);
  void grow(Claim& claim);

  const std::vector<Claim*>& claims_;
  PlanUse use_;
  Units spare_;
  std::map<int, Units> surplus_;  // of elastic claims, by rank
  bool ranked_ = false;           // donors are known: some claim gives
  Donors donors_, growing_;       // all; those above their minimum
};

// What a claim could give: an elastic one all above its floor, one that waits its turn unless
// others made way for it.
Units TakeOver::surplus_of(const Claim& claim) {
  if (claim.kind == ClaimKind::Fixed) return 0;
  if (claim.pending() && claim.admitted == 0) return 0;
  if (claim.pending())
    return claim.admitted * claim.price.cost(claim.target) - claim.price.cost(claim.floor);
  return claim.price.cost(claim.target) - claim.price.cost(claim.floor);
}

// Surplus of queues with a lower priority than this rank's.
Units TakeOver::below(int rank) const {
  Units sum = 0;
  for (auto it = surplus_.upper_bound(rank); it != surplus_.end(); ++it) sum += it->second;
  return sum;
}

bool TakeOver::can_take(const Claim& claim) const {
  Units need = claim.price.cost(claim.min);
  bool rigid = !claim.resizes;
  if (need > spare_ + (rigid ? below(claim.order.rank) : 0)) return false;
  return use_.allows(claim.user_node, need);
}

void TakeOver::enlist(std::size_t index) {
  const Claim& claim = *claims_[index];
  Units surplus = surplus_of(claim);
  if (surplus <= 0) return;
  donors_.insert({claim.order.rank, surplus, index});
  if (claim.target > (claim.pending() ? claim.min : claim.floor))
    growing_.insert({claim.order.rank, surplus, index});
}

void TakeOver::strike(std::size_t index) {
  const Claim& claim = *claims_[index];
  donors_.erase({claim.order.rank, surplus_of(claim), index});
  growing_.erase({claim.order.rank, surplus_of(claim), index});
}

void TakeOver::rank_donors() {
  if (std::exchange(ranked_, true)) return;
  for (std::size_t i = 0; i < claims_.size(); ++i) enlist(i);
}

// Of the lowest queue: the one with the largest surplus, late before early; null: nobody.
const TakeOver::Donor* TakeOver::next_donor(int rank, bool growth_only) {
  rank_donors();
  const Donors& from = growth_only ? growing_ : donors_;
  bool any = !from.empty() && std::get<0>(*from.rbegin()) > rank;
  return any ? &*from.rbegin() : nullptr;
}

void TakeOver::give_one(std::size_t index) {
  Claim& donor = *claims_[index];
  Units before = donor.used();
  strike(index);
  surplus_[donor.order.rank] -= surplus_of(donor);
  bool starts = donor.pending() && donor.target <= donor.min;
  if (starts) --donor.admitted;
  if (!starts) donor.ceiling = --donor.target;
  surplus_[donor.order.rank] += surplus_of(donor);
  enlist(index);
  Units given = before - donor.used();
  spare_ += given;
  use_.add(donor.user_node, -given);
}

void TakeOver::start_one_more(Claim& claim) {
  Units need = claim.price.cost(claim.min);
  while (spare_ < need) {
    const Donor* donor = next_donor(claim.order.rank, false);
    WM_CHECK(donor != nullptr);
    give_one(std::get<2>(*donor));
  }
  spare_ -= need;
  use_.add(claim.user_node, need);
  ++claim.admitted;
  claim.target = claim.min;
}

void TakeOver::grow(Claim& claim) {
  bool grows = claim.kind != ClaimKind::Fixed && !claim.rest && !claim.gain.curve &&
               claim.gain.sizes == UsefulSizes::Any &&
               (!claim.pending() || (claim.admitted == 1 && claim.copies == 1));
  for (Units step = claim.step();
       grows && claim.target < claim.max && step <= spare_ && use_.allows(claim.user_node, step);
       step = claim.step()) {
    ++claim.target;
    spare_ -= step;
    use_.add(claim.user_node, step);
  }
}

void TakeOver::charge(int rank, Units units) {
  for (Units paid = 0; paid < units;) {
    const Donor* donor = next_donor(rank, true);
    if (!donor) return;
    Units before = spare_;
    give_one(std::get<2>(*donor));
    paid += spare_ - before;
  }
}

bool TakeOver::start() {
  for (Claim* claim : claims_) {
    if (!claim->pending() || claim->rest || claim->barred != Barred::No) continue;
    while (claim->admitted < claim->copies && can_take(*claim)) start_one_more(*claim);
  }
  return ranked_;
}

Units TakeOver::grow() {
  for (Claim* claim : claims_) {
    if (claim->barred == Barred::No && spare_ > 0) grow(*claim);
  }
  return spare_;
}

}  // namespace

void charge(const Contest& contest, const PlanTree& tree,
            const std::vector<std::pair<const Claim*, Units>>& excess) {
  TakeOver payers(contest, tree, 0);
  for (auto [claim, units] : excess) payers.charge(claim->order.rank, units);
}

bool take_over(const Contest& contest, const PlanTree& tree, Units spare) {
  return TakeOver(contest, tree, spare).start();
}

Units grow_into(const Contest& contest, const PlanTree& tree, Units spare) {
  return TakeOver(contest, tree, spare).grow();
}

}  // namespace wm::sched
