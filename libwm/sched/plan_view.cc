#include "libwm/sched/plan_view.h"

#include <algorithm>

#include "libwm/sched/claim.h"
#include "libwm/sched/plan_tree.h"
#include "libwm/sched/targets.h"

namespace wm::sched {
namespace {

// Sums of a node's subtree.
struct Sums {
  Units used = 0, demand = 0, deserved = 0, lent = 0, borrowed = 0;
};

class PlanViews {
 public:
  PlanViews(const Cluster& cluster, WallTime now, bool gpu);
  std::vector<PlanView> run();

 private:
  void add(const Claim& claim);
  void add_users_up();
  void balance(int parent);

  const Cluster& cluster_;
  PlanTree tree_;
  std::vector<Sums> sums_;
  Units capacity_ = 0;
};

PlanViews::PlanViews(const Cluster& cluster, WallTime now, bool gpu)
    : cluster_(cluster), tree_(tree_of(*cluster.config)) {
  Claims claims = collect(cluster, now, ~0u);
  Capacities capacities = capacities_of(claims);
  capacity_ = gpu ? capacities.gpus : capacities.slots;
  for (Claim& claim : claims.all) {
    if (claim.gpu != gpu) continue;
    claim.user_node = tree_.user(claim.spec().plan, claim.spec().owner.user);
    add(claim);
  }
}

void PlanViews::add(const Claim& claim) {
  sums_.resize(tree_.nodes.size());
  Units demand = (claim.pending() ? claim.asked : 1) * claim.cost(claim.max);
  ShareNode& leaf = tree_.nodes[claim.user_node];
  leaf.demand += demand;
  leaf.now += claim.cost(claim.now);
  sums_[claim.user_node].demand += demand;
  sums_[claim.user_node].used += claim.cost(claim.now);
}

void PlanViews::add_users_up() {
  sums_.resize(tree_.nodes.size());
  auto deserved = fill_shares(tree_.nodes, capacity_);
  for (std::size_t i = sums_.size(); i-- > 0;) {
    sums_[i].deserved = deserved[i];
    if (i == 0) break;
    Sums& parent = sums_[tree_.nodes[i].parent];
    parent.used += sums_[i].used;
    parent.demand += sums_[i].demand;
  }
}

// Who of these siblings uses what others own: more than is owned by nobody must be lent.
void PlanViews::balance(int parent) {
  std::vector<int> children;
  std::vector<Portion> over, idle;
  Units owned = 0, beyond = 0;
  for (std::size_t i = 1; i < tree_.plans; ++i) {
    if (tree_.nodes[i].parent != parent) continue;
    Units owns = tree_.nodes[i].owns, used = sums_[i].used;
    children.push_back(static_cast<int>(i));
    over.push_back({0, std::max<Units>(0, used - owns), std::max<Units>(1, used - owns), 0, 0, i});
    idle.push_back({0, std::max<Units>(0, owns - used), std::max<Units>(1, owns - used), 0, 0, i});
    owned += owns;
    beyond += over.back().high;
  }
  Units whole = parent == 0 ? capacity_ : std::max(sums_[parent].deserved, sums_[parent].used);
  Units moved = std::max<Units>(0, beyond - std::max<Units>(0, whole - owned));
  auto borrowed = fill_fairly(over, moved), lent = fill_fairly(idle, moved);
  for (std::size_t i = 0; i < children.size(); ++i) {
    sums_[children[i]].borrowed = borrowed[i];
    sums_[children[i]].lent = lent[i];
  }
}

std::vector<PlanView> PlanViews::run() {
  add_users_up();
  for (std::size_t i = 0; i < tree_.plans; ++i) balance(static_cast<int>(i));
  std::vector<PlanView> views;
  auto count = [](Units units) { return static_cast<std::uint32_t>(units); };
  for (std::size_t i = 0; i < tree_.plans; ++i) {
    const ShareNode& node = tree_.nodes[i];
    const Sums& s = sums_[i];
    PlanView view;
    view.path = tree_.names[i];
    view.shares = count(node.weight);
    view.owns = count(node.owns);
    view.limit = node.limit == kNoLimit ? -1 : node.limit;
    view.used = count(s.used);
    view.demand = count(s.demand);
    view.deserved = count(s.deserved);
    view.lent = count(s.lent);
    view.borrowed = count(s.borrowed);
    views.push_back(view);
  }
  return views;
}

}  // namespace

bool counts_gpus(const Cluster& cluster) {
  bool any = false;
  auto look = [&](std::uint32_t, const Job& job) {
    any = any || (!is_over(job.state) && job.spec().task.milli_gpus > 0);
  };
  cluster.jobs.each(look);
  cluster.elements.each(look);
  return any;
}

std::vector<PlanView> view_plans(const Cluster& cluster, WallTime now) {
  return PlanViews(cluster, now, counts_gpus(cluster)).run();
}

}  // namespace wm::sched
