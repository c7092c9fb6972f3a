// Role: limits as they stand during placing: how many tasks may be added at this moment.
// apply_limits and the filling bound amounts; yet what is being released still counts, so a
// job that takes another's place under a limit must wait until that one is gone. Gates: a
// queue, a user, a user in a queue, a plan (per kind of capacity).
// Called by placement.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/sched/demand/claim.h"
#include "libwm/sched/shares/plan_tree.h"

namespace wm::sched {

/// What counts against every limit, during one placing.
class Gates {
 public:
  Gates(const Config& config, const PlanTree& tree, const Claims& claims);

  /// Tasks that may be added to this claim now; kNoLimit where nothing is limited.
  /// @cost O(log users + depth)
  std::int64_t room(const Claim& claim) const;
  /// Counts tasks that were added; `starts`: jobs that begin with them.
  /// @cost O(log users + depth)
  void add(const Claim& claim, std::int64_t tasks, std::int64_t starts = 0);
  /// True if `donor` counts against a limit that keeps `claim` from `tasks` more.
  /// @cost O(depth)
  bool would_help(const Claim& donor, const Claim& claim, std::int64_t tasks) const;
  /// Do both count against a queue's, a user's limit? @cost O(log users)
  bool meet(const Claim& a, const Claim& b) const;

 private:
  using Key = std::pair<std::string_view, std::string_view>;  // queue and user; empty: any
  struct Gate {
    std::int64_t limit = 0, held = 0;
    Counts counts = Counts::Slots;
  };
  // Of rules: found once for claims of one request and owner.
  const std::vector<Gate*>& rules_of(const Claim& claim) const;
  const Gate* find(Key key) const;
  void open(const Config& config, const Claim& claim);
  void hold(const Claim& claim, int node, std::int64_t tasks, Units cost);
  void count(const Claim& claim, std::int64_t tasks, std::int64_t starts);
  Key key(const Claim& claim, int which) const;
  bool has_node(const Claim& claim, int node) const;

  const PlanTree& tree_;
  const Claims& claims_;
  std::map<Key, Gate> gates_;
  mutable std::map<std::string, Gate> by_rule_;
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Gate*>> known_;
  std::vector<Units> plan_slots_, plan_gpus_;  // held, by node
  bool any_ = false;
};

}  // namespace wm::sched
