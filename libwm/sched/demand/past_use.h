// Role: what past use does to the present: who goes first in a queue with order = fairshare,
// and how far shares are bent by history (h of DESIGN 5.1). Past use is decayed and counted
// in dominant shares: the largest of the parts that somebody used of the cluster's slots, GPUs
// and memory, so an hour of a scarce GPU weighs more than an hour of a slot.
//
//   users.conf tree:  root ─┬─ @research (3) ─┬─ ann (1)       level value of a node =
//                           └─ bob (1)        └─ eve (2)       its part of the shares of its
//   level / its part of their use               siblings
//
// Called by memory.cc (order), schedule.cc and plan_view.cc (weights), the master (bjobs -l).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/sched/shares/plan_tree.h"

namespace wm::sched {

/// Decayed dominant use of every account, by its number; 0 where there is none.
/// @units part of the cluster x seconds   @cost O(accounts + hosts)
/// @source dominant resource: Ghodsi et al., NSDI 2011
std::vector<double> dominant_use(const Cluster& cluster, WallTime now);

/// Users in the order of a fair-share queue.
class FairOrder {
 public:
  /// Computes the tree. @cost O(accounts + users log users + hosts)
  FairOrder(const Cluster& cluster, WallTime now);
  /// Position: lower goes first, equal where nothing tells two users apart.
  /// @cost O(log users)
  std::uint32_t rank(const std::string& user) const;
  /// The user's level values from the root down; higher goes first. @cost O(log users)
  std::vector<double> levels(const std::string& user) const;
  /// When it was computed for. @cost O(1)
  WallTime now() const { return now_; }

 private:
  struct Node {
    double shares = 1, use = 0;
    std::string parent;  // empty: the root
  };
  void add(const Config& config, const std::string& name);
  double level(const Node& node) const;

  const Config& config_;
  WallTime now_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, Node> sums_;  // over children, by parent
  std::map<std::string, std::uint32_t> ranks_;
  std::uint32_t unknown_ = 0;  // of a user who has used nothing and is named nowhere
};

/// Weight of a user among the users of a plan: users.conf, else [default], else 1.
/// @cost O(log users)
std::uint32_t shares_of(const Config& config, const std::string& user);

/// Sets the weights of users, and bends those of plans and users by what they used lately:
/// weight = shares x (1 + w (1 - r) / (1 + r)), r = part of the use / part of the shares of
/// its siblings, w = history_weight. Off (w = 0): plain shares.
/// @cost O(nodes), O(nodes + accounts + hosts) where history counts
void weigh(PlanTree& tree, const Cluster& cluster, WallTime now);

/// Why a pending job stands where it does: the terms in the order in which they decide.
/// @cost O(log users)
std::vector<PriorityTerm> priority_terms(const Cluster& cluster, const Job& job,
                                         const FairOrder& order);

}  // namespace wm::sched
