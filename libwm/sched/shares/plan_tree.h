// Role: the plans of the configuration as a share tree, with a leaf for every user that has
// jobs in a plan. Users of a plan count equally; a user's jobs are divided by targets.cc.
// Used by targets.cc and plan_view.cc.
//
//   "/" ─┬─ "/research" ─┬─ "/research/vision" ── user leaves
//        └─ "/prod"      └─ user leaves
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/sched/shares/shares.h"

namespace wm::sched {

/// The tree; node 0 is "/". Leaves' floor, demand and now are the user's to fill in.
struct PlanTree {
  std::vector<ShareNode> nodes;
  std::vector<std::string> names;  ///< path of a plan, name of a user
  std::size_t plans = 0;           ///< nodes before this are plans, the rest users
  std::map<std::pair<int, std::string>, int> users;

  /// The node of a plan; of its nearest ancestor when the path is unknown. @cost O(log plans)
  int plan(const std::string& path) const;
  /// The leaf of a user below a plan, made when there is none yet. @cost O(log users)
  int user(const std::string& path, const std::string& name);
  /// True if the node or an ancestor may not borrow freely. @cost O(depth)
  bool is_bounded(int node) const;

  std::map<std::string, int> by_path;
};

/// What plans and users use, against their limits.
class PlanUse {
 public:
  explicit PlanUse(const PlanTree& tree) : tree_(tree), used_(tree.nodes.size()) {}
  /// Adds to a node and its ancestors; negative takes away. @cost O(depth)
  void add(int node, Units units);
  /// True if so much more is within every limit. A node with a borrow bound never has more
  /// than the filling gave it. @cost O(depth)
  bool allows(int node, Units units) const { return !tree_.is_bounded(node) && !full(node, units); }
  /// The nearest node with a limit that so much more would break, or -1. @cost O(depth)
  int over_limit(int node, Units units) const;
  /// @cost O(1)
  Units of(int node) const { return used_[node]; }

 private:
  bool full(int node, Units units) const { return over_limit(node, units) >= 0; }

  const PlanTree& tree_;
  std::vector<Units> used_;
};

/// The plans of a configuration with the weights of that time, no users yet.
/// @cost O(plans log plans)
PlanTree tree_of(const Config& config, WallTime now = {});

/// The plan above: "/a/b" → "/a", "/a" → "/". @cost O(length)
std::string parent_of(const std::string& path);

}  // namespace wm::sched
