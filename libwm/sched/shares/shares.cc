// Role: hierarchical filling (contract in shares.h). Bottom-up, each node learns what its
// subtree must get (floor), is guaranteed (low), can use (demand) and keeps idle (kept);
// top-down, each node divides its amount among its children. If a node's children could
// not use all of it (a borrow bound), the node is capped there and the tree is filled again.
#include "libwm/sched/shares/shares.h"

#include <algorithm>
#include <tuple>

#include "libwm/base/result.h"

namespace wm::sched {
namespace {

constexpr int kMaxRounds = 8;

// What the bottom-up pass knows of a node.
struct Sums {
  Units floor = 0, low = 0, demand = 0, kept = 0, now = 0;
  bool leaf = true;
  int rank = 0;
  std::uint64_t sequence = 0;
};

class Filling {
 public:
  explicit Filling(const std::vector<ShareNode>& tree);
  std::vector<Units> run(Units capacity);
  void sum_up();
  /// Was a node found that could not use all it got?
  bool capped() const { return capped_; }
  Units kept() const { return sums_.empty() ? 0 : sums_[0].kept; }

 private:
  void close(std::size_t node);
  void add_to_parent(std::size_t node);
  void divide(std::size_t node);
  Units usable(std::size_t child, Units pool) const;
  Units taken(std::size_t node) const;
  bool cap_surplus();

  const std::vector<ShareNode>& tree_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<Sums> sums_;
  std::vector<Units> caps_, amounts_;
  bool capped_ = false;
  std::vector<Units> pools_;  // what no child owns; never shrinks, or capping would repeat
};

Filling::Filling(const std::vector<ShareNode>& tree)
    : tree_(tree),
      children_(tree.size()),
      caps_(tree.size(), kNoLimit),
      amounts_(tree.size()),
      pools_(tree.size()) {
  for (std::size_t i = 1; i < tree.size(); ++i) {
    WM_CHECK(tree[i].parent >= 0 && static_cast<std::size_t>(tree[i].parent) < i);
    children_[tree[i].parent].push_back(i);
  }
}

void Filling::sum_up() {
  sums_.assign(tree_.size(), Sums{});
  for (std::size_t i = tree_.size(); i-- > 0;) {
    close(i);
    if (i > 0) add_to_parent(i);
  }
}

// All children have been added up: applies the node's own bounds.
void Filling::close(std::size_t node) {
  const ShareNode& n = tree_[node];
  Sums& s = sums_[node];
  if (s.leaf) {
    s.floor = s.low = n.floor;
    s.demand = n.demand, s.now = n.now;
    s.rank = n.rank, s.sequence = n.sequence;
  }
  s.demand = std::max(s.floor, std::min({s.demand, n.limit, caps_[node]}));
  s.kept = std::max(s.kept, n.owns - s.demand - n.lend);
  s.low = std::clamp(std::max(s.low, n.owns - s.kept), s.floor, s.demand);
}

void Filling::add_to_parent(std::size_t node) {
  const Sums& s = sums_[node];
  Sums& p = sums_[tree_[node].parent];
  bool first = p.leaf || (s.demand > 0 && (p.demand == 0 || std::tie(s.rank, s.sequence) <
                                                                std::tie(p.rank, p.sequence)));
  if (first) p.rank = s.rank, p.sequence = s.sequence;
  p.leaf = false;
  p.floor += s.floor, p.low += s.low, p.demand += s.demand, p.kept += s.kept, p.now += s.now;
}

// What a child can use of its parent's amount: its own, what nobody owns, what it may borrow.
Units Filling::usable(std::size_t child, Units pool) const {
  Units most = tree_[child].owns + pool + tree_[child].borrow;
  return std::max(sums_[child].low, std::min(sums_[child].demand, most));
}

void Filling::divide(std::size_t node) {
  const auto& children = children_[node];
  Units floors = 0, lows = 0, owned = 0;
  for (std::size_t c : children) {
    floors += sums_[c].floor, lows += sums_[c].low, owned += tree_[c].owns;
  }
  Units amount = amounts_[node];
  pools_[node] = std::max(pools_[node], amount + sums_[node].kept - owned);
  // Too little for every guarantee (hosts were lost): fill between floors and guarantees.
  bool scarce = amount < lows;
  std::vector<Portion> portions;
  for (std::size_t c : children) {
    const Sums& s = sums_[c];
    Units low = scarce ? s.floor : s.low, high = scarce ? s.low : usable(c, pools_[node]);
    portions.push_back({low, high, tree_[c].weight, s.now, s.rank, s.sequence});
  }
  bool fair = tree_[node].policy == SharePolicy::Fairshare;
  auto amounts = fair ? fill_fairly(portions, amount) : fill_in_order(portions, amount);
  for (std::size_t i = 0; i < children.size(); ++i) amounts_[children[i]] = amounts[i];
}

Units Filling::taken(std::size_t node) const {
  Units total = 0;
  for (std::size_t c : children_[node]) total += amounts_[c];
  return total;
}

// True if a node got more than its children took: it is capped at what they took, so that
// its siblings get the rest. Its ancestors are not: the rest stays theirs.
bool Filling::cap_surplus() {
  bool found = false;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    if (children_[i].empty() || taken(i) == amounts_[i]) continue;
    caps_[i] = taken(i);
    found = true;
  }
  return found;
}

std::vector<Units> Filling::run(Units capacity) {
  if (tree_.empty()) return {};
  for (int round = 0; round < kMaxRounds; ++round) {
    sum_up();
    const Sums& root = sums_[0];
    amounts_[0] = std::clamp(capacity - root.kept, root.floor, root.demand);
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      if (!children_[i].empty()) divide(i);
    }
    if (!cap_surplus()) return amounts_;
    capped_ = true;
  }
  for (std::size_t i = tree_.size(); i-- > 0;) {
    if (!children_[i].empty()) amounts_[i] = taken(i);
  }
  return amounts_;
}

}  // namespace

// Which node gets an odd unit hangs on which has one. Where nodes were capped that was asked before
// all was known, and would be answered otherwise next time: it is filled until it rests.
std::vector<Units> fill_shares(const std::vector<ShareNode>& tree, Units capacity) {
  Filling first(tree);
  auto amounts = first.run(capacity);
  if (!first.capped()) return amounts;
  auto filled = tree;
  for (int again = 0; again < kMaxRounds; ++again) {
    for (std::size_t i = 0; i < filled.size(); ++i) filled[i].now = amounts[i];
    auto next = Filling(filled).run(capacity);
    if (next == amounts) break;
    amounts = std::move(next);
  }
  return amounts;
}

Units kept_back(const std::vector<ShareNode>& tree) {
  Filling filling(tree);
  filling.sum_up();
  return filling.kept();
}

}  // namespace wm::sched
