// Role: who gets how much: fills a tree of plans, users and jobs with the cluster's capacity
// by hierarchical weighted max-min fairness. Pure; knows nothing of hosts (place.cc does).
//
//        root                 inner nodes: plans, below each plan its users (equal weight)
//       /    \                leaves: jobs (equal weight below a user)
//   research  prod            owns  guaranteed when demanded
//    /   \      \             lend  how much of what it owns others may use while it is idle
//  ann   bob    eve           borrow how much of what siblings own it may use
//  /\     |      |            limit never more than this (running floors excepted)
// j1 j2   j3     j4
//
// Invariants: floors are always granted, even beyond a limit or the capacity (running work is
// never killed for a share); nothing that a leaf demands, may have and that is not kept back
// by its owner stays idle; filling again with now = the result gives the result.
// Called by: placement.cc (targets), plan_view.cc (bplans).
#pragma once

#include <cstdint>
#include <vector>

#include "libwm/sched/shares/fill.h"

namespace wm::sched {

/// How a node divides what it has among its children.
enum class SharePolicy : std::uint8_t {
  Fairshare,  ///< by weight
  Priority,   ///< the child of the lowest (rank, sequence) first, up to its demand
};

/// One plan, user or job of the tree. A node's position in the vector is its name.
/// @shape parent < own position; node 0 is the root and has parent -1
struct ShareNode {
  int parent = -1;
  std::int64_t weight = 1;
  SharePolicy policy = SharePolicy::Fairshare;
  Units owns = 0;
  Units limit = kNoLimit;
  Units lend = kNoLimit;
  Units borrow = kNoLimit;
  // Leaves only; an inner node's are summed up, its (rank, sequence) is its first leaf's.
  Units floor = 0;   ///< must get: a rigid job's size, an elastic job's min
  Units demand = 0;  ///< can use
  Units now = 0;     ///< has today
  int rank = 0;
  std::uint64_t sequence = 0;
};

/// The amount of every node, in the order of `tree`.
/// @units as the tree's   @cost O(n log n), at most 8 rounds; twice that where a bound kept a node
/// from what it was given   @thread any
/// @source hierarchical max-min fairness: Bertsekas, Gallager, Data Networks, 6.5.2
std::vector<Units> fill_shares(const std::vector<ShareNode>& tree, Units capacity);

/// What owners keep idle because they do not lend it: no one may have it.
/// @cost O(n)
Units kept_back(const std::vector<ShareNode>& tree);

}  // namespace wm::sched
