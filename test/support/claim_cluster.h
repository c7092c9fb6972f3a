// Role: for tests of one step of a pass: the claims of a cluster, with their users' leaves.
#pragma once

#include "libwm/sched/demand/claim.h"
#include "libwm/sched/memory.h"
#include "libwm/sched/shares/plan_tree.h"
#include "test/support/sched_cluster.h"

namespace wm::test {

/// A cluster that can collect its claims at any time.
class ClaimCluster : public SchedCluster {
 protected:
  /// Collects anew; what it returned before is void.
  void collect() {
    claims = std::make_unique<sched::Claims>(sched::collect(run.state, at(0), 1000));
    tree = sched::tree_of(*run.state.config);
    for (auto& claim : claims->all) {
      claim.user_node = tree.user(claim.spec().plan, claim.spec().owner.user);
    }
  }
  /// The claim of a job; null if it has none.
  sched::Claim* claim(JobId id) {
    for (auto& claim : claims->all) {
      if (claim.id == id) return &claim;
    }
    return nullptr;
  }

  std::unique_ptr<sched::Claims> claims;
  sched::PlanTree tree;
};

}  // namespace wm::test
