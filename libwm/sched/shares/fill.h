// Role: weighted max-min filling of one level: divides whole units among siblings so that
// each gets clamp(weight * lambda, low, high) with one lambda for all, rounded by largest
// remainder. Called by shares.cc for every node of the plan tree.
//
// Invariants: sum of amounts = clamp(capacity, sum of low, sum of high); low <= amount <=
// high; the amounts minimise sum |amount - quota|, and among those that do, they move the
// fewest units away from `now`; what is left to choose goes by (rank, sequence, position).
// All arithmetic is exact (integers and 128-bit products), so ties are really ties.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wm::sched {

/// An amount of what is shared: slots, or GPUs where GPUs are asked.
/// @units whole slots or thousandths of a GPU, one of them throughout a call; 0..10^12
using Units = std::int64_t;

/// "No bound". Larger than any amount, small enough to be added up.
inline constexpr Units kNoLimit = 1'000'000'000'000;

/// One sibling: what it must get, what it can use, how much it counts, what it has today.
/// @shape low <= high; weight 1..10^6 (what is outside is clamped)
struct Portion {
  Units low = 0;
  Units high = 0;
  std::int64_t weight = 1;
  Units now = 0;
  int rank = 0;                ///< lower is served first when all else is equal
  std::uint64_t sequence = 0;  ///< submit order; lower is served first after rank
};

/// Amounts by weighted max-min fairness, in the order of `portions`.
/// @cost O(n log n)   @thread any
/// @source water filling: Bertsekas, Gallager, Data Networks, 6.5.2; largest remainder:
///         Balinski, Young, Fair Representation, chapter 3
std::vector<Units> fill_fairly(std::span<const Portion> portions, Units capacity);

/// Amounts by strict order: every low first, then each portion up to its high, in the order
/// of (rank, sequence, position).
/// @cost O(n log n)   @thread any
std::vector<Units> fill_in_order(std::span<const Portion> portions, Units capacity);

}  // namespace wm::sched
