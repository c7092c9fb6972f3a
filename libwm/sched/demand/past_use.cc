#include "libwm/sched/demand/past_use.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libwm/sched/demand/order.h"

namespace wm::sched {
namespace {

struct Whole {
  double slots = 0, gpus = 0, gib = 0;
};

Whole whole_of(const Cluster& cluster) {
  Whole whole;
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    whole.slots += host.capacity.slots;
    whole.gpus += static_cast<double>(host.capacity.gpus.size());
    whole.gib += static_cast<double>(host.capacity.mem.value) / (1 << 30);
  });
  return whole;
}

double part(double used, double whole) { return whole > 0 ? used / whole : 0; }

constexpr int kDeepest = 32;  // groups above each other; check of the configuration, again

// The group above, or empty: the first of its groups that belongs to the tree.
std::string first_group(const UserConf* conf) {
  if (!conf) return "";
  for (const std::string& group : conf->groups) {
    if (!group.empty() && group.front() == '@') return group;
  }
  return "";
}

const UserConf* conf_of(const Config& config, const std::string& name) {
  const UserConf* conf = config.user(name);
  bool group = !name.empty() && name.front() == '@';
  return conf || group ? conf : config.user("default");
}

// Shares may be large; a thousandfold of them must stay below what a Portion takes.
std::int64_t scale_of(const PlanTree& tree) {
  std::int64_t most = 1;
  for (const ShareNode& node : tree.nodes) most = std::max(most, node.weight);
  return std::clamp<std::int64_t>(500'000 / most, 1, 1000);
}

// What every node used, its subtree together.
std::vector<double> use_by_node(const PlanTree& tree, const Cluster& cluster, WallTime now) {
  std::vector<double> use(tree.nodes.size());
  std::vector<double> by_account = dominant_use(cluster, now);
  cluster.accounts.each([&](std::uint32_t number, const UsageAccount& account) {
    int plan = tree.plan(account.plan);
    auto leaf = tree.users.find({plan, account.user});
    int node = leaf == tree.users.end() ? plan : leaf->second;
    for (; node >= 0; node = tree.nodes[node].parent) use[node] += by_account[number];
  });
  return use;
}

std::string number(double value) {
  auto hundredths = std::llround(std::min(value, 1e9) * 100);
  auto rest = std::to_string(100 + hundredths % 100).substr(1);
  return std::to_string(hundredths / 100) + "." + rest;
}

std::string path_of(const std::vector<double>& levels) {
  std::string text;
  for (double level : levels) {
    text += (text.empty() ? "" : " / ") + (std::isinf(level) ? "unused" : number(level));
  }
  return text;
}

}  // namespace

std::vector<double> dominant_use(const Cluster& cluster, WallTime now) {
  std::vector<double> use(cluster.accounts.last() + 1);
  Whole whole = whole_of(cluster);
  Duration half_life = cluster.config->cluster.times.usage_half_life;
  cluster.accounts.each([&](std::uint32_t number, const UsageAccount& account) {
    Used used = used_at(account, now, half_life);
    use[number] = std::max(
        {part(used.slots, whole.slots), part(used.gpus, whole.gpus), part(used.mem, whole.gib)});
  });
  return use;
}

void FairOrder::add(const Config& config, const std::string& name) {
  std::string at = name;
  for (int depth = 0; depth < kDeepest && !at.empty() && !nodes_.count(at); ++depth) {
    const UserConf* conf = conf_of(config, at);
    Node node;
    if (conf) node.shares = conf->shares;
    node.parent = first_group(conf);
    at = nodes_.emplace(at, std::move(node)).first->second.parent;
  }
}

double FairOrder::level(const Node& node) const {
  const Node& siblings = sums_.at(node.parent);
  if (node.use <= 0) return std::numeric_limits<double>::infinity();
  return (node.shares / siblings.shares) / (node.use / siblings.use);
}

FairOrder::FairOrder(const Cluster& cluster, WallTime now) : config_(*cluster.config), now_(now) {
  for (const UserConf& user : config_.users) {
    if (user.name != "default") add(config_, user.name);
  }
  std::vector<double> use = dominant_use(cluster, now);
  cluster.accounts.each([&](std::uint32_t number, const UsageAccount& account) {
    add(config_, account.user);
    std::string at = account.user;
    for (int depth = 0; depth < kDeepest && !at.empty(); ++depth) {
      Node& node = nodes_[at];
      node.use += use[number];
      at = node.parent;
    }
  });
  for (auto& [name, node] : nodes_) {
    Node& sum = sums_.try_emplace(node.parent, Node{0, 0, ""}).first->second;
    sum.shares += node.shares;
    sum.use += node.use;
  }
  std::map<std::vector<double>, std::vector<std::string>, std::greater<>> by_levels;
  for (auto& [name, node] : nodes_) by_levels[levels(name)].push_back(name);
  const std::vector<double> unknown{std::numeric_limits<double>::infinity()};
  by_levels[unknown];
  std::uint32_t rank = 0;
  for (auto& [key, names] : by_levels) {
    for (const auto& name : names) ranks_[name] = rank;
    if (key == unknown) unknown_ = rank;
    ++rank;
  }
}

std::vector<double> FairOrder::levels(const std::string& user) const {
  std::vector<double> values;
  std::string at = user;
  for (int depth = 0; depth < kDeepest && !at.empty(); ++depth) {
    auto it = nodes_.find(at);
    if (it == nodes_.end()) break;
    values.push_back(level(it->second));
    at = it->second.parent;
  }
  std::reverse(values.begin(), values.end());
  return values;
}

// A user who is not known yet has used nothing.
std::uint32_t FairOrder::rank(const std::string& user) const {
  auto it = ranks_.find(user);
  return it == ranks_.end() ? unknown_ : it->second;
}

std::uint32_t shares_of(const Config& config, const std::string& user) {
  const UserConf* conf = conf_of(config, user);
  return conf ? conf->shares : 1;
}

void weigh(PlanTree& tree, const Cluster& cluster, WallTime now) {
  for (std::size_t i = tree.plans; i < tree.nodes.size(); ++i) {
    tree.nodes[i].weight = shares_of(*cluster.config, tree.names[i]);
  }
  double bend = cluster.config->cluster.limits.history_weight / 100.0;
  if (bend <= 0) return;
  std::vector<double> use = use_by_node(tree, cluster, now);
  std::vector<double> shares(tree.nodes.size()), uses(tree.nodes.size());  // of children
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    shares[tree.nodes[i].parent] += static_cast<double>(tree.nodes[i].weight);
    uses[tree.nodes[i].parent] += use[i];
  }
  auto scale = static_cast<double>(scale_of(tree));
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    ShareNode& node = tree.nodes[i];
    auto plain = static_cast<double>(node.weight);
    double ratio =
        uses[node.parent] > 0 ? (use[i] / uses[node.parent]) / (plain / shares[node.parent]) : 1;
    double bent = plain * scale * (1 + bend * (1 - ratio) / (1 + ratio));
    node.weight = std::max<std::int64_t>(1, std::llround(bent));
  }
}

std::vector<PriorityTerm> priority_terms(const Cluster& cluster, const Job& job,
                                         const FairOrder& order) {
  const JobSpec& spec = job.spec();
  const QueueConf* queue = cluster.config->queue(spec.queue);
  std::vector<PriorityTerm> terms;
  double priority = queue ? queue->priority : 0;
  terms.push_back({"queue", priority, "priority of queue <" + spec.queue + ">"});
  if (job.waits.place != 0) {
    terms.push_back({"placed", -double(job.waits.place),
                     job.waits.place < 0 ? "put to the top (btop)" : "put to the bottom (bbot)"});
  }
  if (queue && queue->order == JobOrder::FairShare) {
    auto levels = order.levels(spec.owner.user);
    std::string shares = levels.empty() ? "unused" : path_of(levels);
    terms.push_back(
        {"fairshare", -double(order.rank(spec.owner.user)),
         "share over use of user <" + spec.owner.user + ">, level by level: " + shares});
  }
  if (queue && queue->order == JobOrder::Slowdown) {
    Duration limit = run_limit_of(*cluster.config, spec);
    terms.push_back({"slowdown", slowdown_of(order.now() - job.times.submitted, limit),
                     "wait over run limit, plus 1"});
  }
  if (spec.user_priority > 0) {
    terms.push_back({"user", double(spec.user_priority), "bsub -sp"});
  }
  if (job.waits.turn != 0)
    terms.push_back({"submitted", -double(job.waits.turn), "moved among its owner's (btop, bbot)"});
  else terms.push_back({"submitted", -double(job.id.job), "earlier goes first"});
  return terms;
}

}  // namespace wm::sched
