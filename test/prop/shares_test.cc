// Role: properties of the filling over many random levels and trees, against an exact
// brute-force solver where that is small enough. Each failure prints its seed; WM_SOAK makes a
// million trees of each few thousand.
#include "libwm/sched/shares/shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>

namespace wm::sched {
namespace {

using Amounts = std::vector<Units>;
using Random = std::mt19937;

Units pick(Random& random, Units from, Units to) {
  return from + static_cast<Units>(random() % static_cast<std::uint64_t>(to - from + 1));
}

// ---- one level against brute force --------------------------------------------------------

std::vector<Portion> random_level(Random& random, int most) {
  std::vector<Portion> level(pick(random, 1, most));
  for (std::size_t i = 0; i < level.size(); ++i) {
    Units low = pick(random, 0, 2), high = low + pick(random, 0, 4);
    level[i] = {low, high, pick(random, 1, 4), pick(random, 0, 6), 0, i};
  }
  return level;
}

// Quotas by bisection: an independent way to lambda.
std::vector<double> quotas_of(const std::vector<Portion>& level, Units capacity) {
  double from = 0, to = 1e3;
  std::vector<double> quotas(level.size());
  for (int step = 0; step < 200; ++step) {
    double lambda = (from + to) / 2, total = 0;
    for (std::size_t i = 0; i < level.size(); ++i) {
      quotas[i] = std::clamp(lambda * level[i].weight, double(level[i].low), double(level[i].high));
      total += quotas[i];
    }
    (total < capacity ? from : to) = lambda;
  }
  return quotas;
}

struct Score {
  double unfairness;  // sum of squared distances from the quotas
  Units moved;        // sum of distances from now
};

Score score(const std::vector<Portion>& level, const std::vector<double>& quotas,
            const Amounts& amounts) {
  Score s{0, 0};
  for (std::size_t i = 0; i < level.size(); ++i) {
    s.unfairness += (amounts[i] - quotas[i]) * (amounts[i] - quotas[i]);
    s.moved += std::abs(amounts[i] - level[i].now);
  }
  return s;
}

bool better(const Score& a, const Score& b) {
  if (std::abs(a.unfairness - b.unfairness) > 1e-9) return a.unfairness < b.unfairness;
  return a.moved < b.moved;
}

// The best score of all whole amounts within bounds that add up to `left`.
void try_all(const std::vector<Portion>& level, const std::vector<double>& quotas, Units left,
             Amounts& amounts, Score& best) {
  std::size_t i = amounts.size();
  if (i == level.size()) {
    if (left != 0) return;
    Score s = score(level, quotas, amounts);
    if (better(s, best)) best = s;
    return;
  }
  for (Units x = level[i].low; x <= std::min(level[i].high, left); ++x) {
    amounts.push_back(x);
    try_all(level, quotas, left - x, amounts, best);
    amounts.pop_back();
  }
}

TEST(shares_prop, one_level_equals_brute_force_and_moves_the_least) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    auto level = random_level(random, 5);
    Units low = 0, high = 0;
    for (auto& p : level) low += p.low, high += p.high;
    Units capacity = pick(random, low, high);
    auto quotas = quotas_of(level, capacity);
    Score best{1e18, 0};
    Amounts amounts;
    try_all(level, quotas, capacity, amounts, best);
    Score got = score(level, quotas, fill_fairly(level, capacity));
    ASSERT_NEAR(got.unfairness, best.unfairness, 1e-9) << "seed " << seed;
    ASSERT_EQ(got.moved, best.moved) << "seed " << seed;
  }
}

TEST(shares_prop, one_unit_less_among_equals_moves_one_unit) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    auto level = random_level(random, 12);
    Units low = 0, high = 0;
    for (auto& p : level) p.weight = 1, low += p.low, high += p.high;
    if (low == high) continue;
    Units capacity = pick(random, low + 1, high);
    auto before = fill_fairly(level, capacity);
    for (std::size_t i = 0; i < level.size(); ++i) level[i].now = before[i];
    auto after = fill_fairly(level, capacity - 1);
    Units moved = 0;
    for (std::size_t i = 0; i < level.size(); ++i) moved += std::abs(after[i] - before[i]);
    ASSERT_EQ(moved, 1) << "seed " << seed;
  }
}

// ---- trees -------------------------------------------------------------------------------

using Nodes = std::vector<ShareNode>;

void add_leaf(Nodes& tree, Random& random, int parent) {
  ShareNode n;
  n.parent = parent;
  n.floor = pick(random, 0, 3) == 0 ? pick(random, 1, 3) : 0;
  n.demand = n.floor + pick(random, 0, 8);
  n.now = pick(random, 0, n.demand);
  n.rank = static_cast<int>(pick(random, 0, 2));
  n.sequence = tree.size();
  tree.push_back(n);
}

void add_plan(Nodes& tree, Random& random, int depth) {
  int self = static_cast<int>(tree.size()) - 1;
  Units children = pick(random, 0, 4);
  for (Units i = 0; i < children; ++i) {
    if (depth == 0 || random() % 3 == 0) {
      add_leaf(tree, random, self);
      continue;
    }
    ShareNode n;
    n.parent = self;
    n.weight = pick(random, 1, 3);
    if (random() % 4 == 0) n.limit = pick(random, 0, 10);
    tree.push_back(n);
    add_plan(tree, random, depth - 1);
  }
}

struct Case {
  Nodes tree;
  Units capacity;
  std::vector<std::vector<int>> children;
  Amounts floors, demands;  // summed up, limits applied
};

Case random_case(unsigned seed, bool owners) {
  Random random(seed);
  Case c;
  c.tree.resize(1);
  add_plan(c.tree, random, 3);
  c.capacity = pick(random, 0, 40);
  c.children.resize(c.tree.size());
  c.floors.assign(c.tree.size(), 0);
  c.demands.assign(c.tree.size(), 0);
  for (int i = static_cast<int>(c.tree.size()) - 1; i >= 0; --i) {
    ShareNode& n = c.tree[i];
    if (owners && !c.children[i].empty() && random() % 2) {
      n.owns = pick(random, 0, 8);
      if (random() % 2) n.lend = pick(random, 0, 4);
      if (random() % 2) n.borrow = pick(random, 0, 4);
    }
    if (c.children[i].empty()) c.floors[i] = n.floor, c.demands[i] = n.demand;
    c.demands[i] = std::max(c.floors[i], std::min(c.demands[i], n.limit));
    if (i == 0) break;
    c.children[n.parent].insert(c.children[n.parent].begin(), i);
    c.floors[n.parent] += c.floors[i];
    c.demands[n.parent] += c.demands[i];
  }
  return c;
}

template <class Check>
void for_many_trees(bool owners, Check check) {
  const unsigned trees = std::getenv("WM_SOAK") ? 1'000'000 : 3000;
  for (unsigned seed = 0; seed < trees; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Case c = random_case(seed, owners);
    check(c, fill_shares(c.tree, c.capacity));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(shares_prop, floors_limits_and_demands_are_kept) {
  for_many_trees(true, [](const Case& c, const Amounts& got) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_GE(got[i], c.floors[i]) << "node " << i;
      ASSERT_LE(got[i], c.demands[i]) << "node " << i;
    }
  });
}

TEST(shares_prop, children_add_up_to_their_parent) {
  for_many_trees(true, [](const Case& c, const Amounts& got) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (c.children[i].empty()) continue;
      Units total = 0;
      for (int child : c.children[i]) total += got[child];
      ASSERT_EQ(total, got[i]) << "node " << i;
    }
  });
}

TEST(shares_prop, no_more_than_the_capacity_except_for_floors) {
  for_many_trees(true, [](const Case& c, const Amounts& got) {
    ASSERT_LE(got[0], std::max(c.capacity, c.floors[0]));
  });
}

// What the children of a node are filled with, summed up over their subtrees.
std::vector<Portion> level_below(const Case& c, int node) {
  Amounts now(c.tree.size());
  for (int i = static_cast<int>(c.tree.size()) - 1; i > 0; --i) {
    if (c.children[i].empty()) now[i] = c.tree[i].now;
    now[c.tree[i].parent] += now[i];
  }
  std::vector<Portion> level;
  for (int child : c.children[node])
    level.push_back({c.floors[child], c.demands[child], c.tree[child].weight, now[child], 0, 0});
  return level;
}

// Level by level: no whole amounts come nearer to the exact shares, and of those that come as near
// none moves less.
TEST(shares_prop, a_tree_equals_brute_force_on_every_small_level) {
  constexpr Units kMostTries = 20'000;
  std::size_t levels = 0;
  for_many_trees(false, [&](const Case& c, const Amounts& got) {
    for (int node = 0; node < static_cast<int>(got.size()); ++node) {
      auto level = level_below(c, node);
      Units tries = 1;
      for (const auto& p : level) tries *= std::min<Units>(p.high - p.low + 1, kMostTries);
      if (level.empty() || tries > kMostTries) continue;
      auto quotas = quotas_of(level, got[node]);
      Score best{1e18, 0};
      Amounts amounts, given;
      try_all(level, quotas, got[node], amounts, best);
      for (int child : c.children[node]) given.push_back(got[child]);
      Score score_given = score(level, quotas, given);
      ASSERT_NEAR(score_given.unfairness, best.unfairness, 1e-9) << "node " << node;
      ASSERT_EQ(score_given.moved, best.moved) << "node " << node;
      ++levels;
    }
  });
  EXPECT_GT(levels, 1000u);
}

TEST(shares_prop, nothing_demanded_stays_idle) {
  for_many_trees(false, [](const Case& c, const Amounts& got) {
    ASSERT_EQ(got[0], std::clamp(c.capacity, c.floors[0], c.demands[0]));
  });
}

TEST(shares_prop, no_envy_among_equals_by_more_than_one_unit) {
  for_many_trees(false, [](const Case& c, const Amounts& got) {
    for (auto& siblings : c.children) {
      for (int a : siblings) {
        for (int b : siblings) {
          bool envies =
              got[a] < c.demands[a] && c.tree[a].weight == c.tree[b].weight && got[b] > c.floors[b];
          if (!envies) continue;
          ASSERT_LE(got[b] - got[a], 1) << a << " envies " << b;
        }
      }
    }
  });
}

TEST(shares_prop, what_is_owned_and_demanded_is_given) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Case c = random_case(seed, false);
    Units guaranteed = 0;
    for (int child : c.children[0]) {
      if (!c.children[child].empty()) c.tree[child].owns = 3;
      guaranteed += std::max(c.floors[child], std::min(c.tree[child].owns, c.demands[child]));
    }
    if (guaranteed > c.capacity) continue;
    auto got = fill_shares(c.tree, c.capacity);
    for (int child : c.children[0]) {
      ASSERT_GE(got[child], std::min(c.tree[child].owns, c.demands[child])) << "seed " << seed;
    }
  }
}

TEST(shares_prop, filling_again_changes_nothing) {
  for_many_trees(true, [](Case c, const Amounts& got) {
    for (std::size_t i = 0; i < got.size(); ++i) c.tree[i].now = got[i];
    ASSERT_EQ(fill_shares(c.tree, c.capacity), got);
  });
}

TEST(shares_prop, the_same_input_gives_the_same_amounts) {
  for_many_trees(true, [](const Case& c, const Amounts& got) {
    ASSERT_EQ(fill_shares(Nodes(c.tree), c.capacity), got);
  });
}

// A tree where one of two plans may borrow nothing and the other is not bounded: whatever
// the first cannot take must reach the second.
TEST(shares_prop, what_one_plan_may_not_borrow_another_takes) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    Nodes tree(3);
    tree[1].parent = tree[2].parent = 0;
    tree[1].owns = pick(random, 0, 6);
    tree[2].owns = pick(random, 0, 6);
    tree[1].borrow = 0;
    add_leaf(tree, random, 1);
    ShareNode hungry;
    hungry.parent = 2;
    hungry.demand = 40;
    tree.push_back(hungry);
    Units capacity = pick(random, 12, 40);
    Units floor = tree[3].floor;
    ASSERT_EQ(fill_shares(tree, capacity)[0],
              std::min(capacity, 40 + std::max(floor, tree[3].demand)))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace wm::sched
