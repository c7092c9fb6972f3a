#include "libwm/sched/capacity/layout.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace wm::sched {
namespace {

using Shares = std::vector<Share>;

// From the front until all have a place.
Shares take_first(const Shares& offers, std::int64_t tasks) {
  Shares taken;
  for (const Share& offer : offers) {
    if (tasks == 0) break;
    taken.push_back({offer.room, std::min(offer.tasks, tasks)});
    tasks -= taken.back().tasks;
  }
  return taken;
}

// Fewest hosts: the largest first.
Shares pack(Shares offers, std::int64_t tasks) {
  std::stable_sort(offers.begin(), offers.end(),
                   [](const Share& a, const Share& b) { return a.tasks > b.tasks; });
  return take_first(offers, tasks);
}

// Task by task to the host that has fewest of the job's, then most room left.
Shares spread(const Shares& offers, std::int64_t tasks) {
  struct Turn {
    std::int64_t given, left;
    std::size_t at;
    bool operator<(const Turn& o) const {
      if (given != o.given) return given > o.given;
      return left != o.left ? left < o.left : at > o.at;
    }
  };
  std::priority_queue<Turn> turns;
  for (std::size_t i = 0; i < offers.size(); ++i)
    if (offers[i].tasks > 0) turns.push({0, offers[i].tasks, i});
  std::vector<std::int64_t> given(offers.size());
  for (; tasks > 0 && !turns.empty(); --tasks) {
    Turn turn = turns.top();
    turns.pop();
    given[turn.at] = ++turn.given;
    if (--turn.left > 0) turns.push(turn);
  }
  Shares shares;
  for (std::size_t i = 0; i < offers.size(); ++i)
    if (given[i] > 0) shares.push_back({offers[i].room, given[i]});
  return shares;
}

// ---- below as few switches as can be -------------------------------------------------------

class Below {
 public:
  Below(const Shares& offers, const Switches& switches) : switches_(switches) {
    for (const Share& offer : offers) {
      own_[switches.of(offer.room)].push_back(offer);
      for (std::uint32_t n = switches.of(offer.room);; n = switches.node(n).parent) {
        sums_[n] += offer.tasks;
        if (n == 0) break;
        children_[switches.node(n).parent].insert(n);
      }
    }
  }

  // The deepest switch that holds all; of those the one with least room, then the first.
  std::uint32_t lowest(std::int64_t tasks) const {
    std::uint32_t best = 0;
    for (const auto& [node, sum] : sums_) {
      if (sum < tasks) continue;
      auto depth = switches_.node(node).depth, best_depth = switches_.node(best).depth;
      if (depth > best_depth || (depth == best_depth && sum < sums_.at(best))) best = node;
    }
    return best;
  }

  void fill(std::uint32_t node, std::int64_t tasks, Shares& out) const {
    auto own = own_.find(node);
    Shares here = own == own_.end() ? Shares() : pack(own->second, tasks);
    auto below = children_.find(node);
    if (below == children_.end()) return append(here, out);
    std::vector<std::uint32_t> order(below->second.begin(), below->second.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return sums_.at(a) > sums_.at(b); });
    std::int64_t left = tasks;
    while (left > 0 && !order.empty()) {
      auto next = fitting(order, left);
      std::int64_t part = std::min(left, sums_.at(*next));
      fill(*next, part, out);
      left -= part;
      order.erase(next);
    }
    append(take_first(here, left), out);
  }

 private:
  using Order = std::vector<std::uint32_t>;
  // The smallest that holds the rest, else the largest.
  Order::iterator fitting(Order& order, std::int64_t left) const {
    auto best = order.begin();
    for (auto it = order.begin(); it != order.end() && sums_.at(*it) >= left; ++it)
      if (sums_.at(*it) < sums_.at(*best)) best = it;
    return best;
  }
  static void append(const Shares& more, Shares& out) {
    out.insert(out.end(), more.begin(), more.end());
  }

  const Switches& switches_;
  std::map<std::uint32_t, Shares> own_;
  std::map<std::uint32_t, std::int64_t> sums_;
  std::map<std::uint32_t, std::set<std::uint32_t>> children_;
};

// A job that grows stays near: the lowest switch above what it has that holds the rest.
Shares near_held(const Shares& offers, const LayoutRules& rules) {
  const Switches& switches = *rules.switches;
  for (std::uint32_t n = switches.of(rules.held.front());; n = switches.node(n).parent) {
    Shares below;
    for (const Share& offer : offers) {
      std::uint32_t up = switches.of(offer.room);
      while (up != n && up != 0) up = switches.node(up).parent;
      if (up == n) below.push_back(offer);
    }
    if (n == 0 || total_of(below) >= rules.tasks) return pack(below, rules.tasks);
  }
}

Shares by_topology(const Shares& offers, const LayoutRules& rules) {
  if (!rules.switches || !rules.switches->any()) return pack(offers, rules.tasks);
  if (!rules.held.empty()) return near_held(offers, rules);
  std::int64_t tasks = std::min(rules.tasks, total_of(offers));
  Below below(offers, *rules.switches);
  Shares out;
  below.fill(below.lowest(tasks), tasks, out);
  return out;
}

Shares by_policy(const Shares& offers, const LayoutRules& rules) {
  switch (rules.placing) {
    case Placing::Spread: return spread(offers, rules.tasks);
    case Placing::Topology: return by_topology(offers, rules);
    case Placing::InOrder: return take_first(offers, rules.tasks);
    default: return pack(offers, rules.tasks);
  }
}

// ---- cu[] ----------------------------------------------------------------------------------

struct Unit {
  std::uint32_t node = 0;
  std::int64_t room = 0;
  Shares offers;
};

std::vector<Unit> units_of(const Shares& offers, const LayoutRules& rules) {
  std::map<std::uint32_t, Unit> by_node;
  for (const Share& offer : offers) {
    std::uint32_t node = rules.switches->above(rules.switches->of(offer.room), rules.unit.level);
    Unit& unit = by_node[node];
    unit.node = node;
    unit.room += offer.tasks;
    unit.offers.push_back(offer);
  }
  std::vector<Unit> units;
  for (auto& [node, unit] : by_node)
    if (unit.room >= rules.unit.least_slots) units.push_back(std::move(unit));
  bool fewest = rules.unit.max_units > 0 || rules.unit.balance;
  auto pref = rules.unit.pref;
  std::stable_sort(units.begin(), units.end(), [&](const Unit& a, const Unit& b) {
    if (pref == UnitPref::MinAvail) return a.room < b.room;
    return (pref == UnitPref::MaxAvail || fewest) && a.room > b.room;
  });
  return units;
}

// With minavail under maxcus: the smallest run of units, by room, that is enough.
std::vector<Unit> chosen_units(std::vector<Unit> units, const LayoutRules& rules) {
  std::size_t most = rules.unit.max_units ? rules.unit.max_units : units.size();
  most = std::min(most, units.size());
  std::size_t from = 0;
  auto room = [&](std::size_t first) {
    std::int64_t sum = 0;
    for (std::size_t i = first; i < first + most; ++i) sum += units[i].room;
    return sum;
  };
  if (rules.unit.pref == UnitPref::MinAvail)
    while (from + most < units.size() && room(from) < rules.tasks) ++from;
  return {units.begin() + static_cast<std::ptrdiff_t>(from),
          units.begin() + static_cast<std::ptrdiff_t>(from + most)};
}

// Evenly over the fewest units that allow it.
Shares balanced(const std::vector<Unit>& units, const LayoutRules& rules) {
  for (std::size_t n = 1; n <= units.size(); ++n) {
    auto count = static_cast<std::int64_t>(n);
    Shares out;
    bool fits = true;
    for (std::int64_t i = 0; i < count && fits; ++i) {
      LayoutRules part = rules;
      part.tasks = rules.tasks / count + (i < rules.tasks % count ? 1 : 0);
      const Unit& unit = units[static_cast<std::size_t>(i)];
      fits = unit.room >= part.tasks;
      auto shares = by_policy(unit.offers, part);
      out.insert(out.end(), shares.begin(), shares.end());
    }
    if (fits) return out;
  }
  return {};
}

Shares by_units(const Shares& offers, const LayoutRules& rules) {
  if (!rules.unit.any || !rules.switches) return by_policy(offers, rules);
  auto units = chosen_units(units_of(offers, rules), rules);
  if (rules.unit.balance && rules.held.empty()) {
    auto shares = balanced(units, rules);
    if (!shares.empty()) return shares;
  }
  Shares joined;
  for (const Unit& unit : units) {
    if (rules.unit.pref == UnitPref::Config) {
      joined.insert(joined.end(), unit.offers.begin(), unit.offers.end());
      continue;
    }
    // Unit by unit in the order that is preferred.
    LayoutRules part = rules;
    part.tasks = rules.tasks - total_of(joined);
    auto shares = by_policy(unit.offers, part);
    joined.insert(joined.end(), shares.begin(), shares.end());
  }
  return rules.unit.pref == UnitPref::Config ? by_policy(joined, rules) : joined;
}

bool is_better(const Shares& a, const Shares& b) {
  auto tasks_a = total_of(a), tasks_b = total_of(b);
  return tasks_a != tasks_b ? tasks_a > tasks_b : a.size() < b.size();
}

}  // namespace

std::int64_t total_of(const Shares& shares) {
  std::int64_t sum = 0;
  for (const Share& share : shares) sum += share.tasks;
  return sum;
}

Shares lay_out(const Shares& offers, const LayoutRules& rules) {
  Shares best;
  if (rules.groups.empty()) {
    best = by_units(offers, rules);
  } else {
    std::map<std::uint32_t, Shares> groups;
    for (std::size_t i = 0; i < offers.size(); ++i) groups[rules.groups[i]].push_back(offers[i]);
    for (const auto& [number, group] : groups) {
      auto shares = by_units(group, rules);
      if (best.empty() || is_better(shares, best)) best = std::move(shares);
    }
  }
  if (rules.whole && total_of(best) < rules.tasks) return {};
  return best;
}

std::size_t switches_crossed(const Shares& shares, const Switches& switches) {
  std::set<std::uint32_t> leaves;
  for (const Share& share : shares) leaves.insert(switches.of(share.room));
  std::map<std::uint32_t, std::size_t> below;  // how many of the leaves
  for (std::uint32_t leaf : leaves)
    for (std::uint32_t n = leaf;; n = switches.node(n).parent) {
      ++below[n];
      if (n == 0) break;
    }
  // Those above the switch that joins all carry nothing of the job.
  auto partly = [&](const auto& entry) { return entry.second < leaves.size(); };
  return static_cast<std::size_t>(std::count_if(below.begin(), below.end(), partly)) + 1;
}

}  // namespace wm::sched
