#include "libwm/sched/rules.h"

#include <algorithm>

#include "libwm/sched/host_rules.h"

namespace wm::sched {
namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

bool is_named(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "all ~x": everybody but x. Where only ~x stand, everybody but those is meant, too.
template <class Listed>
bool holds(const std::vector<std::string>& names, Listed listed) {
  std::vector<std::string> in, out;
  for (const auto& name : names) {
    if (name.starts_with('~')) out.push_back(name.substr(1));
    else in.push_back(name);
  }
  if (listed(out)) return false;
  return in.empty() || is_named(in, "all") || listed(in);
}

// Of what a rule says of one respect: false where it is not about the job; `each` adds to the key.
template <class Listed>
bool add(const Consumers& consumers, const char* what, const std::string& name, RuleFor& made,
         Listed listed) {
  if (consumers.names.empty() && !consumers.each) return true;
  if (!consumers.names.empty() && !holds(consumers.names, listed)) return false;
  if (!consumers.each) return true;
  made.key += std::string("\n") + what + name;
  made.text += std::string(", ") + what + " <" + name + ">";
  return true;
}

void add_amounts(const LimitRule& rule, const RuleFor& like, std::vector<RuleFor>& all) {
  auto put = [&](Counts counts, const char* suffix, std::int64_t limit) {
    all.push_back(like);
    all.back().key += suffix;
    all.back().counts = counts;
    all.back().limit = limit;
  };
  if (rule.slots) put(Counts::Slots, "\ns", std::int64_t{*rule.slots});
  if (rule.jobs) put(Counts::Jobs, "\nj", std::int64_t{*rule.jobs});
  if (rule.mem) put(Counts::Mem, "\nm", rule.mem->value / kMegabyte);
}

bool is_on_hosts(const LimitRule& rule) { return !rule.hosts.names.empty() || rule.hosts.each; }

}  // namespace

std::int64_t cost_of(Counts counts, const JobSpec& spec, std::int64_t tasks, std::int64_t starts) {
  switch (counts) {
    case Counts::Slots: return tasks;
    case Counts::Jobs: return starts;
    case Counts::Mem: return tasks * ((spec.task.mem.value + kMegabyte - 1) / kMegabyte);
  }
  return 0;
}

std::string use_text(Counts counts, std::int64_t used, std::int64_t limit) {
  const char* unit = counts == Counts::Slots ? " slots" : counts == Counts::Jobs ? " jobs" : " MB";
  return std::to_string(used) + " of " + std::to_string(limit) + unit + " in use";
}

bool concerns(const Consumers& consumers, const std::string& name) {
  if (consumers.names.empty()) return true;
  return holds(consumers.names, [&](const auto& names) { return is_named(names, name); });
}

Rules::Rules(const Cluster& cluster, WallTime now) : config_(cluster.config.get()) {
  const ClockSteps& clock = config_->clock;
  for (const LimitRule& rule : config_->limits) {
    if (auto edge = next_change(rule.windows, clock, now))
      if (next_edge_ == WallTime{} || *edge < next_edge_) next_edge_ = *edge;
    if (!is_open(rule.windows, clock, now)) continue;
    open_.push_back(&rule);
    on_hosts_ = on_hosts_ || is_on_hosts(rule);
  }
  for (const auto& [path, group] : *cluster.job_groups)
    if (group.limit) groups_.emplace(path, *group.limit);
}

bool Rules::concerns_job(const LimitRule& rule, const JobSpec& spec, RuleFor& made) const {
  made.key = "limit\n" + rule.name;
  made.text = "limit <" + rule.name + ">";
  auto exact = [](const std::string& name) {
    return [&name](const std::vector<std::string>& names) { return is_named(names, name); };
  };
  auto user = [&](const std::vector<std::string>& names) {
    return is_listed(*config_, names, spec.owner);
  };
  auto plan = [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& name) { return is_in_group(spec.plan, name); });
  };
  return add(rule.users, "user", spec.owner.user, made, user) &&
         add(rule.queues, "queue", spec.queue, made, exact(spec.queue)) &&
         add(rule.projects, "project", spec.project, made, exact(spec.project)) &&
         add(rule.apps, "profile", spec.app, made, exact(spec.app)) &&
         add(rule.plans, "plan", spec.plan, made, plan);
}

std::vector<RuleFor> Rules::of(const JobSpec& spec) const {
  std::vector<RuleFor> all;
  for (const LimitRule* rule : open_) {
    RuleFor made;
    if (!is_on_hosts(*rule) && concerns_job(*rule, spec, made)) add_amounts(*rule, made, all);
  }
  if (groups_.empty()) return all;
  for (std::string_view path = spec.job_group; !path.empty(); path = group_above(path)) {
    auto group = groups_.find(std::string(path));
    if (group == groups_.end()) continue;
    RuleFor made{"group\n" + group->first, group->second, Counts::Jobs, PendCode::GroupLimit,
                 "job group <" + group->first + ">"};
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<RuleFor> Rules::on_host(const JobSpec& spec, const Host& host) const {
  std::vector<RuleFor> all;
  for (const LimitRule* rule : open_) {
    RuleFor made;
    if (!is_on_hosts(*rule) || !rule->slots || !concerns_job(*rule, spec, made)) continue;
    auto listed = [&](const std::vector<std::string>& names) {
      return names_host(names, *config_, host);
    };
    if (!rule->hosts.names.empty() && !holds(rule->hosts.names, listed)) continue;
    made.limit = *rule->slots;
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace wm::sched
