// Role: weighted max-min filling of one level (contract in fill.h). Lambda is found by a
// sweep over the points where a portion leaves its low or reaches its high; between two
// such points the total is linear, so lambda is a fraction rest / weight of integers.
#include "libwm/sched/shares/fill.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace wm::sched {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMaxWeight = 1'000'000;

std::int64_t weight_of(const Portion& p) {
  return std::clamp<std::int64_t>(p.weight, 1, kMaxWeight);
}

// A point of the sweep: at lambda = amount / weight one portion starts or stops growing.
struct Bend {
  Units amount;
  std::int64_t weight;
  bool starts;
};

// lambda = rest / weight; weight 0 means that no portion grows at that point.
struct Level {
  Units rest = 0;
  std::int64_t weight = 0;
};

bool before(const Bend& a, const Bend& b) {
  Wide left = Wide{a.amount} * b.weight, right = Wide{b.amount} * a.weight;
  return left != right ? left < right : a.starts > b.starts;
}

std::vector<Bend> bends_of(std::span<const Portion> portions) {
  std::vector<Bend> bends;
  bends.reserve(2 * portions.size());
  for (const Portion& p : portions) {
    if (p.low == p.high) continue;
    bends.push_back({p.low, weight_of(p), true});
    bends.push_back({p.high, weight_of(p), false});
  }
  std::sort(bends.begin(), bends.end(), before);
  return bends;
}

// Finds lambda for a capacity strictly between the sums of low and of high.
Level find_level(std::span<const Portion> portions, Units capacity) {
  Units fixed = 0;
  std::int64_t growing = 0;
  for (const Portion& p : portions) fixed += p.low;
  for (const Bend& bend : bends_of(portions)) {
    // Below the capacity at the first bend, and where nobody grows what it was at the bend before.
    Wide total = Wide{fixed} * bend.weight + Wide{growing} * bend.amount;
    if (total >= Wide{capacity} * bend.weight) break;
    fixed += bend.starts ? -bend.amount : bend.amount;
    growing += bend.starts ? bend.weight : -bend.weight;
  }
  return {capacity - fixed, growing};
}

// A portion with a quota that is not whole: rounded up or down.
struct Fraction {
  std::size_t index;
  Wide remainder;
  bool keeps;  // rounding up moves it towards, or leaves it at, what it has now
};

Units round_down(const Portion& p, Level level, std::size_t index, std::vector<Fraction>& open) {
  Wide grown = Wide{weight_of(p)} * level.rest;
  if (grown <= Wide{p.low} * level.weight) return p.low;
  if (grown >= Wide{p.high} * level.weight) return p.high;
  Units whole = static_cast<Units>(grown / level.weight);
  Wide remainder = grown % level.weight;
  if (remainder != 0) open.push_back({index, remainder, p.now > whole});
  return whole;
}

void round_up_largest(std::span<const Portion> portions, std::vector<Fraction>& open, Units left,
                      std::vector<Units>& amounts) {
  std::sort(open.begin(), open.end(), [&](const Fraction& a, const Fraction& b) {
    if (a.remainder != b.remainder) return a.remainder > b.remainder;
    if (a.keeps != b.keeps) return a.keeps;
    const Portion &p = portions[a.index], &q = portions[b.index];
    return std::tie(p.rank, p.sequence, a.index) < std::tie(q.rank, q.sequence, b.index);
  });
  for (std::size_t i = 0; i < open.size() && left > 0; ++i, --left) ++amounts[open[i].index];
}

}  // namespace

std::vector<Units> fill_fairly(std::span<const Portion> portions, Units capacity) {
  Units low = 0, high = 0;
  for (const Portion& p : portions) low += p.low, high += p.high;
  std::vector<Units> amounts;
  amounts.reserve(portions.size());
  if (capacity <= low || capacity >= high) {
    for (const Portion& p : portions) amounts.push_back(capacity <= low ? p.low : p.high);
    return amounts;
  }
  Level level = find_level(portions, capacity);
  std::vector<Fraction> open;
  for (std::size_t i = 0; i < portions.size(); ++i) {
    amounts.push_back(round_down(portions[i], level, i, open));
    capacity -= amounts.back();
  }
  round_up_largest(portions, open, capacity, amounts);
  return amounts;
}

std::vector<Units> fill_in_order(std::span<const Portion> portions, Units capacity) {
  std::vector<std::size_t> order(portions.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const Portion &p = portions[a], &q = portions[b];
    return std::tie(p.rank, p.sequence, a) < std::tie(q.rank, q.sequence, b);
  });
  std::vector<Units> amounts;
  for (const Portion& p : portions) amounts.push_back(p.low), capacity -= p.low;
  for (std::size_t i : order) {
    Units more = std::clamp<Units>(capacity, 0, portions[i].high - portions[i].low);
    amounts[i] += more;
    capacity -= more;
  }
  return amounts;
}

}  // namespace wm::sched
