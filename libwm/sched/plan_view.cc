#include "libwm/sched/plan_view.h"

#include <algorithm>

#include "libwm/sched/amounts/targets.h"
#include "libwm/sched/demand/claim.h"
#include "libwm/sched/demand/past_use.h"
#include "libwm/sched/memory.h"
#include "libwm/sched/shares/plan_tree.h"
#include "libwm/sched/shares/windows.h"

namespace wm::sched {
namespace {

// Sums of a node's subtree.
struct SubtreeSums {
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
  void match(const std::vector<int>& plans, std::vector<Units> lent, std::vector<Units> borrowed);
  PlanView view(std::size_t node) const;

  const Cluster& cluster_;
  WallTime now_;
  PlanTree tree_;
  std::vector<SubtreeSums> sums_;
  std::vector<PlanLoan> loans_;
  std::vector<double> use_;  // lately, by account
  bool gpu_;
  Units capacity_ = 0;
};

PlanViews::PlanViews(const Cluster& cluster, WallTime now, bool gpu)
    : cluster_(cluster),
      now_(now),
      tree_(tree_of(*cluster.config)),
      use_(dominant_use(cluster, now)),
      gpu_(gpu) {
  Claims claims = collect(cluster, now, ~0u);
  Capacities capacities = capacities_of(claims);
  capacity_ = gpu ? capacities.gpus : capacities.slots;
  for (Claim& claim : claims.all) {
    if (claim.price.gpu != gpu) continue;
    claim.user_node = tree_.user(claim.spec().plan, claim.spec().owner.user);
    add(claim);
  }
  weigh(tree_, cluster, now);
}

void PlanViews::add(const Claim& claim) {
  sums_.resize(tree_.nodes.size());
  Units demand = (claim.pending() ? claim.asked : 1) * claim.price.cost(claim.max);
  ShareNode& leaf = tree_.nodes[claim.user_node];
  leaf.demand += demand;
  leaf.now += claim.price.cost(claim.now);
  sums_[claim.user_node].demand += demand;
  sums_[claim.user_node].used += claim.price.cost(claim.now);
}

void PlanViews::add_users_up() {
  sums_.resize(tree_.nodes.size());
  auto deserved = fill_shares(tree_.nodes, capacity_);
  for (std::size_t i = sums_.size(); i-- > 0;) {
    sums_[i].deserved = deserved[i];
    if (i == 0) break;
    SubtreeSums& parent = sums_[tree_.nodes[i].parent];
    parent.used += sums_[i].used;
    parent.demand += sums_[i].demand;
  }
}

// Which of these siblings use what others own: more than is owned by none of them must be lent.
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
  match(children, std::move(lent), std::move(borrowed));
}

// Slots do not name their plan: the first plan that borrows has what the first lends.
void PlanViews::match(const std::vector<int>& plans, std::vector<Units> lent,
                      std::vector<Units> borrowed) {
  std::size_t from = 0;
  for (std::size_t to = 0; to < plans.size(); ++to) {
    while (borrowed[to] > 0 && from < plans.size()) {
      Units amount = std::min(borrowed[to], lent[from]);
      if (amount > 0) {
        loans_.push_back(
            {tree_.names[plans[from]], tree_.names[plans[to]], static_cast<std::uint32_t>(amount)});
      }
      borrowed[to] -= amount;
      lent[from] -= amount;
      if (lent[from] == 0) ++from;
    }
  }
}

PlanView PlanViews::view(std::size_t i) const {
  const ShareNode& node = tree_.nodes[i];
  const SubtreeSums& s = sums_[i];
  auto count = [](Units units) { return static_cast<std::uint32_t>(units); };
  const PlanConf* conf = cluster_.config->plan(tree_.names[i]);
  PlanView view;
  view.path = tree_.names[i];
  view.shares = conf ? shares_of(*conf, cluster_.config->clock, now_) : 1;
  view.owns = count(node.owns);
  view.limit = node.limit == kNoLimit ? -1 : node.limit;
  view.used = count(s.used);
  view.demand = count(s.demand);
  view.deserved = count(s.deserved);
  view.lent = count(s.lent);
  view.borrowed = count(s.borrowed);
  view.gpus = gpu_;
  bool bent = cluster_.config->cluster.limits.history_weight > 0;
  view.weight_now = count(bent ? node.weight : node.weight * 1000);
  for (const PlanLoan& loan : loans_) {
    if (loan.from == view.path || loan.to == view.path) view.loans.push_back(loan);
  }
  cluster_.accounts.each([&](std::uint32_t number, const UsageAccount& account) {
    for (int at = tree_.plan(account.plan); at >= 0; at = tree_.nodes[at].parent) {
      if (at == static_cast<int>(i)) view.used_lately += use_[number];
    }
  });
  return view;
}

std::vector<PlanView> PlanViews::run() {
  add_users_up();
  for (std::size_t i = 0; i < tree_.plans; ++i) balance(static_cast<int>(i));
  std::vector<PlanView> views;
  for (std::size_t i = 0; i < tree_.plans; ++i) views.push_back(view(i));
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
