#include "libwm/sched/take_over.h"

#include <algorithm>
#include <map>

namespace wm::sched {
namespace {

class TakeOver {
 public:
  TakeOver(const std::vector<Claim*>& claims, const PlanTree& tree, Units spare)
      : claims_(claims), use_(tree), spare_(spare) {
    for (Claim* claim : claims) {
      use_.add(claim->user_node, claim->used());
      Units surplus = surplus_of(*claim);
      if (surplus > 0) surplus_[claim->rank] += surplus;
    }
  }
  void charge(int rank, Units units);
  void start();
  Units grow();

 private:
  static Units surplus_of(const Claim& claim);
  Units below(int rank) const;
  bool can_take(const Claim& claim) const;
  void start_one_more(Claim& claim);
  Claim* next_donor(int rank, bool growth_only);
  void give_one(Claim& donor);
  void grow(Claim& claim);

  const std::vector<Claim*>& claims_;
  PlanUse use_;
  Units spare_;
  std::map<int, Units> surplus_;  // of elastic claims, by rank
};

// What a claim could give: an elastic one all above its floor.
Units TakeOver::surplus_of(const Claim& claim) {
  if (claim.kind == ClaimKind::Fixed) return 0;
  if (claim.pending()) return claim.admitted * claim.cost(claim.target);
  return claim.cost(claim.target) - claim.cost(claim.floor);
}

// Surplus of queues with a lower priority than this rank's.
Units TakeOver::below(int rank) const {
  Units sum = 0;
  for (auto it = surplus_.upper_bound(rank); it != surplus_.end(); ++it) sum += it->second;
  return sum;
}

bool TakeOver::can_take(const Claim& claim) const {
  Units need = claim.cost(claim.min);
  bool rigid = !claim.resizes;
  if (need > spare_ + (rigid ? below(claim.rank) : 0)) return false;
  return use_.allows(claim.user_node, need);
}

// Of the lowest queue: the one with the largest surplus, running before not started, late
// before early.
Claim* TakeOver::next_donor(int rank, bool growth_only) {
  Claim* best = nullptr;
  for (Claim* claim : claims_) {
    if (claim->rank <= rank || surplus_of(*claim) <= 0) continue;
    if (growth_only && claim->target <= claim->min) continue;
    bool better = !best || claim->rank > best->rank ||
                  (claim->rank == best->rank && surplus_of(*claim) >= surplus_of(*best));
    if (better) best = claim;
  }
  return best;
}

void TakeOver::give_one(Claim& donor) {
  Units before = donor.used();
  surplus_[donor.rank] -= surplus_of(donor);
  bool starts = donor.pending() && donor.target <= donor.min;
  if (starts) --donor.admitted;
  if (!starts) donor.ceiling = --donor.target;
  surplus_[donor.rank] += surplus_of(donor);
  Units given = before - donor.used();
  spare_ += given;
  use_.add(donor.user_node, -given);
}

void TakeOver::start_one_more(Claim& claim) {
  Units need = claim.cost(claim.min);
  while (spare_ < need) {
    Claim* donor = next_donor(claim.rank, false);
    WM_CHECK(donor != nullptr);
    give_one(*donor);
  }
  spare_ -= need;
  use_.add(claim.user_node, need);
  ++claim.admitted;
  claim.target = claim.min;
}

void TakeOver::grow(Claim& claim) {
  bool grows = claim.kind != ClaimKind::Fixed && !claim.speeds &&
               (!claim.pending() || (claim.admitted == 1 && claim.copies == 1));
  while (grows && claim.target < claim.max && claim.each <= spare_ &&
         use_.allows(claim.user_node, claim.each)) {
    ++claim.target;
    spare_ -= claim.each;
    use_.add(claim.user_node, claim.each);
  }
}

void TakeOver::charge(int rank, Units units) {
  for (Units paid = 0; paid < units;) {
    Claim* donor = next_donor(rank, true);
    if (!donor) return;
    Units before = spare_;
    give_one(*donor);
    paid += spare_ - before;
  }
}

void TakeOver::start() {
  for (Claim* claim : claims_) {
    if (!claim->pending() || claim->barred != Barred::No) continue;
    while (claim->admitted < claim->copies && can_take(*claim)) start_one_more(*claim);
  }
}

Units TakeOver::grow() {
  for (Claim* claim : claims_) {
    if (claim->barred == Barred::No && spare_ > 0) grow(*claim);
  }
  return spare_;
}

}  // namespace

void charge(const std::vector<Claim*>& claims, const PlanTree& tree,
            const std::vector<std::pair<const Claim*, Units>>& excess) {
  TakeOver payers(claims, tree, 0);
  for (auto [claim, units] : excess) payers.charge(claim->rank, units);
}

void take_over(const std::vector<Claim*>& claims, const PlanTree& tree, Units spare) {
  TakeOver(claims, tree, spare).start();
}

Units grow_into(const std::vector<Claim*>& claims, const PlanTree& tree, Units spare) {
  return TakeOver(claims, tree, spare).grow();
}

}  // namespace wm::sched
