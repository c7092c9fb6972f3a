#include "libwm/sched/amounts/limits.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace wm::sched {
namespace {

// Claims that count against one limit.
struct Group {
  PendCode code;
  LimitOf of;
  std::int64_t left = 0;
  std::vector<Claim*> members;
  Counts counts = Counts::Slots;
  std::int64_t limit = 0;  // of a rule
  std::string text = {};   // of a rule
  // What so many tasks of a claim count, in `starts` jobs.
  std::int64_t cost(const Claim& claim, std::int64_t tasks, std::int64_t starts) const {
    return cost_of(counts, claim.spec(), tasks, starts);
  }
};

// Key: queue and user; an empty one means "any".
using Key = std::pair<std::string_view, std::string_view>;

class Limits {
 public:
  Limits(const Config& config, const Rules& rules) : config_(config), rules_(rules) {}
  void join(Claim& claim);
  void join(const Steady& group);
  void count_floors();
  void admit(Claim& claim) const;
  void divide();
  static void divide(const Group& group);

 private:
  template <class Found>
  void each_limit(const JobSpec& spec, Found found);
  std::uint32_t limit_of(const std::string& user) const;

  const Config& config_;
  const Rules& rules_;
  std::map<std::string, Group> by_rule_;
  std::map<Key, Group> groups_;
  std::map<const Claim*, std::vector<Group*>> groups_of_;
};

std::uint32_t Limits::limit_of(const std::string& user) const {
  const UserConf* conf = config_.user(user);
  if (!conf) conf = config_.user("default");
  return conf ? conf->max_slots : 0;
}

// Every limit that there is for such a job.
template <class Found>
void Limits::each_limit(const JobSpec& spec, Found found) {
  auto tell = [&](LimitOf of, Key key, std::uint32_t limit) {
    PendCode code = of == LimitOf::Queue ? PendCode::QueueLimit : PendCode::UserLimit;
    if (limit > 0) found(groups_.try_emplace(key, Group{code, of, limit, {}}).first->second);
  };
  if (const QueueConf* queue = config_.queue(spec.queue)) {
    tell(LimitOf::Queue, {queue->name, ""}, queue->max_slots);
    tell(LimitOf::UserInQueue, {queue->name, spec.owner.user}, queue->user_slots);
  }
  if (!config_.users.empty()) {
    tell(LimitOf::User, {"", spec.owner.user}, limit_of(spec.owner.user));
  }
  if (!rules_.any()) return;
  for (RuleFor& rule : rules_.of(spec)) {
    Group made{rule.code, LimitOf::Rule, rule.limit, {}, rule.counts, rule.limit, rule.text};
    found(by_rule_.try_emplace(std::move(rule.key), std::move(made)).first->second);
  }
}

void Limits::join(Claim& claim) {
  each_limit(claim.spec(), [&](Group& group) {
    group.members.push_back(&claim);
    groups_of_[&claim].push_back(&group);
  });
}

void Limits::join(const Steady& group) {
  if (group.claims.empty()) return;
  auto jobs = std::ssize(group.claims);
  each_limit(group.claims.front().spec(), [&](Group& limited) {
    limited.left -= limited.cost(group.claims.front(), group.tasks, jobs);
  });
}

void Limits::count_floors() {
  auto count = [](Group& group) {
    for (const Claim* claim : group.members) {
      std::uint32_t least = claim->pending() ? claim->floor : claim->min;
      group.left -= group.cost(*claim, least, least > 0 ? 1 : 0);
    }
  };
  for (auto& [key, group] : groups_) count(group);
  for (auto& [key, group] : by_rule_) count(group);
}

void Limits::admit(Claim& claim) const {
  auto it = groups_of_.find(&claim);
  if (it == groups_of_.end()) return;
  std::int64_t copies = claim.copies;
  for (const Group* group : it->second) {
    auto each = std::max<std::int64_t>(1, group->cost(claim, claim.min, 1));
    copies = std::clamp<std::int64_t>(group->left / each, 0, copies);
    if (copies == 0) {
      claim.barred = Barred::Limit;
      claim.barrier = group->code;
      claim.closed = group->of;
      if (group->of == LimitOf::Rule)
        claim.closed_by =
            group->text + ", " + use_text(group->counts, group->limit - group->left, group->limit);
      return;
    }
  }
  claim.copies = static_cast<std::uint32_t>(copies);
  for (Group* group : it->second) group->left -= group->cost(claim, copies * claim.min, copies);
}

void Limits::divide() {
  for (auto& [key, group] : groups_) divide(group);
  for (auto& [key, group] : by_rule_)
    if (group.counts == Counts::Slots) divide(group);
}

void Limits::divide(const Group& group) {
  std::vector<Claim*> growing;
  std::vector<Portion> portions;
  Units capacity = std::max<std::int64_t>(0, group.left);
  for (Claim* claim : group.members) {
    if (claim->barred != Barred::No || claim->kind == ClaimKind::Fixed || claim->rest) continue;
    if (claim->copies > 1) claim->max = claim->min;
    growing.push_back(claim);
    portions.push_back(
        {claim->min, claim->max, 1, claim->now, claim->order.rank, claim->sequence()});
    capacity += claim->min;
  }
  auto most = fill_fairly(portions, capacity);
  for (std::size_t i = 0; i < growing.size(); ++i) {
    growing[i]->max = static_cast<std::uint32_t>(most[i]);
  }
}

}  // namespace

void apply_limits(const Config& config, std::vector<Claim>& claims,
                  const std::vector<Steady>& steady, const Rules& rules) {
  bool any = rules.any() || !config.users.empty() ||
             std::any_of(config.queues.begin(), config.queues.end(), [](const QueueConf& queue) {
               return queue.max_slots || queue.user_slots;
             });
  if (!any) return;
  Limits limits(config, rules);
  for (Claim& claim : claims) limits.join(claim);
  for (const Steady& group : steady) limits.join(group);
  limits.count_floors();
  for (Claim& claim : claims) {
    if (claim.pending() && claim.barrier != PendCode::Budget) limits.admit(claim);
  }
  limits.divide();
}

}  // namespace wm::sched
