#include "libwm/sched/amounts/gates.h"

#include <algorithm>

namespace wm::sched {
namespace {

constexpr int kKeys = 3;

std::uint32_t user_limit(const Config& config, const std::string& user) {
  const UserConf* conf = config.user(user);
  if (!conf) conf = config.user("default");
  return conf ? conf->max_slots : 0;
}

}  // namespace

// 0: the queue, 1: the user in the queue, 2: the user.
Gates::Key Gates::key(const Claim& claim, int which) const {
  const JobSpec& spec = claim.spec();
  if (which == 0) return {spec.queue, ""};
  if (which == 1) return {spec.queue, spec.owner.user};
  return {"", spec.owner.user};
}

Gates::Gates(const Config& config, const PlanTree& tree, const Claims& claims)
    : tree_(tree), claims_(claims), plan_slots_(tree.nodes.size()), plan_gpus_(tree.nodes.size()) {
  for (const QueueConf& queue : config.queues) any_ = any_ || queue.max_slots || queue.user_slots;
  for (const UserConf& user : config.users) any_ = any_ || user.max_slots;
  for (const ShareNode& node : tree.nodes) any_ = any_ || node.limit != kNoLimit;
  any_ = any_ || claims.rules.any();
  if (!any_) return;
  for (const Claim& claim : claims.all) {
    open(config, claim);
    if (!claim.pending()) add(claim, claim.held, 1);
  }
  for (const Claim& claim : claims.ending) {
    open(config, claim);
    add(claim, claim.held, 1);
  }
  for (const Steady& group : claims.steady) {
    if (group.claims.empty()) continue;
    open(config, group.claims.front());
    hold(group.claims.front(), group.user_node, group.held, group.held_cost);
    count(group.claims.front(), group.held, std::ssize(group.claims));
  }
}

// Gates that such a claim goes through.
void Gates::open(const Config& config, const Claim& claim) {
  const QueueConf* queue = claims_.requests[claim.request].queue;
  std::int64_t limits[kKeys] = {queue ? queue->max_slots : 0, queue ? queue->user_slots : 0,
                                user_limit(config, claim.spec().owner.user)};
  for (int i = 0; i < kKeys; ++i) {
    if (limits[i] > 0) gates_[key(claim, i)].limit = limits[i];
  }
}

const Gates::Gate* Gates::find(Key key) const {
  auto it = gates_.find(key);
  return it == gates_.end() ? nullptr : &it->second;
}

std::int64_t Gates::room(const Claim& claim) const {
  std::int64_t room = kNoLimit;
  if (!any_) return room;
  for (int i = 0; i < kKeys; ++i) {
    if (const Gate* gate = find(key(claim, i))) room = std::min(room, gate->limit - gate->held);
  }
  for (const Gate* gate : rules_of(claim)) {
    std::int64_t left = gate->limit - gate->held;
    bool bounds = gate->counts != Counts::Jobs || claim.pending();
    auto one = cost_of(gate->counts, claim.spec(), 1, 1);
    if (gate->counts == Counts::Jobs && left > 0) left = kNoLimit;
    if (bounds && one > 0) room = std::min(room, left / one);
  }
  const auto& held = claim.price.gpu ? plan_gpus_ : plan_slots_;
  for (int n = claim.user_node; n >= 0; n = tree_.nodes[n].parent) {
    Units limit = tree_.nodes[n].limit;
    if (limit != kNoLimit) room = std::min(room, claim.price.affords(limit - held[n]));
  }
  return std::max<std::int64_t>(0, room);
}

void Gates::add(const Claim& claim, std::int64_t tasks, std::int64_t starts) {
  if (!any_) return;
  hold(claim, claim.user_node, tasks, claim.price.cost(tasks));
  count(claim, tasks, starts);
}

const std::vector<Gates::Gate*>& Gates::rules_of(const Claim& claim) const {
  auto [it, is_new] = known_.try_emplace({claim.request, claim.owner});
  if (!is_new || !claims_.rules.any()) return it->second;
  for (RuleFor& rule : claims_.rules.of(claim.spec())) {
    Gate made{rule.limit, 0, rule.counts};
    it->second.push_back(&by_rule_.try_emplace(std::move(rule.key), made).first->second);
  }
  return it->second;
}

void Gates::count(const Claim& claim, std::int64_t tasks, std::int64_t starts) {
  for (Gate* gate : rules_of(claim))
    gate->held += cost_of(gate->counts, claim.spec(), tasks, starts);
}

void Gates::hold(const Claim& claim, int node, std::int64_t tasks, Units cost) {
  for (int i = 0; i < kKeys; ++i) {
    auto it = gates_.find(key(claim, i));
    if (it != gates_.end()) it->second.held += tasks;
  }
  auto& held = claim.price.gpu ? plan_gpus_ : plan_slots_;
  for (; node >= 0; node = tree_.nodes[node].parent) held[node] += cost;
}

bool Gates::has_node(const Claim& claim, int node) const {
  for (int n = claim.user_node; n >= 0; n = tree_.nodes[n].parent) {
    if (n == node) return true;
  }
  return false;
}

bool Gates::meet(const Claim& a, const Claim& b) const {
  for (int i = 0; i < kKeys && any_; ++i)
    if (key(a, i) == key(b, i) && find(key(a, i))) return true;
  if (!claims_.rules.any()) return false;
  const auto &ours = rules_of(a), &others = rules_of(b);
  return std::any_of(ours.begin(), ours.end(), [&](Gate* gate) {
    return std::find(others.begin(), others.end(), gate) != others.end();
  });
}

bool Gates::would_help(const Claim& donor, const Claim& claim, std::int64_t tasks) const {
  for (int i = 0; i < kKeys && any_; ++i) {
    const Gate* gate = find(key(claim, i));
    bool closed = gate && gate->limit - gate->held < tasks;
    if (closed && key(donor, i) == key(claim, i)) return true;
  }
  const auto& held = claim.price.gpu ? plan_gpus_ : plan_slots_;
  for (int n = claim.user_node; n >= 0; n = tree_.nodes[n].parent) {
    Units limit = tree_.nodes[n].limit;
    bool closed = limit != kNoLimit && limit - held[n] < claim.price.cost(tasks);
    if (closed && donor.price.gpu == claim.price.gpu && has_node(donor, n)) return true;
  }
  return false;
}

}  // namespace wm::sched
