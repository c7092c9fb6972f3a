#include "libwm/sched/shares/plan_tree.h"

#include <algorithm>

#include "libwm/sched/shares/windows.h"

namespace wm::sched {
namespace {

// What a plan may borrow: all, nothing, or what the listed plans own and lend.
Units borrow_of(const Config& config, const PlanConf& plan) {
  if (plan.borrow == Borrow::Any) return kNoLimit;
  Units amount = 0;
  if (plan.borrow == Borrow::None) return amount;
  for (const std::string& path : plan.borrow_from) {
    const PlanConf* lender = config.plan(path);
    if (lender) amount += std::min(lender->owns, lender->lend.value_or(lender->owns));
  }
  return amount;
}

void fill_in(ShareNode& node, const Config& config, const PlanConf& plan) {
  node.weight = plan.shares;
  node.policy =
      plan.policy == PlanPolicy::Priority ? SharePolicy::Priority : SharePolicy::Fairshare;
  node.owns = plan.owns;
  if (plan.limit) node.limit = *plan.limit;
  if (plan.lend) node.lend = *plan.lend;
  node.borrow = borrow_of(config, plan);
}

}  // namespace

std::string parent_of(const std::string& path) {
  auto slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

int PlanTree::plan(const std::string& path) const {
  for (std::string at = path; at != "/" && !at.empty(); at = parent_of(at)) {
    auto it = by_path.find(at);
    if (it != by_path.end()) return it->second;
  }
  return 0;
}

int PlanTree::user(const std::string& path, const std::string& name) {
  int parent = plan(path);
  auto [it, is_new] = users.try_emplace({parent, name}, static_cast<int>(nodes.size()));
  if (is_new) {
    nodes.push_back({});
    nodes.back().parent = parent;
    nodes.back().sequence = nodes.size();
    names.push_back(name);
  }
  return it->second;
}

bool PlanTree::is_bounded(int node) const {
  for (; node >= 0; node = nodes[node].parent) {
    if (nodes[node].borrow != kNoLimit) return true;
  }
  return false;
}

void PlanUse::add(int node, Units units) {
  for (; node >= 0; node = tree_.nodes[node].parent) used_[node] += units;
}

int PlanUse::over_limit(int node, Units units) const {
  for (; node >= 0; node = tree_.nodes[node].parent) {
    if (used_[node] + units > tree_.nodes[node].limit) return node;
  }
  return -1;
}

PlanTree tree_of(const Config& config, WallTime now) {
  PlanTree tree;
  tree.nodes.resize(1);
  tree.names.push_back("/");
  tree.by_path["/"] = 0;
  for (const PlanConf& plan : config.plans) {  // sorted by path: parents come first
    if (plan.path != "/") {
      int parent = tree.plan(parent_of(plan.path));
      tree.by_path[plan.path] = static_cast<int>(tree.nodes.size());
      tree.nodes.push_back({});
      tree.nodes.back().parent = parent;
      tree.names.push_back(plan.path);
    }
    auto& node = tree.nodes[tree.by_path[plan.path]];
    fill_in(node, config, plan);
    if (now != WallTime{}) node.weight = shares_of(plan, config.clock, now);
  }
  tree.plans = tree.nodes.size();
  return tree;
}

}  // namespace wm::sched
