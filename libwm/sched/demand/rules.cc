#include "libwm/sched/demand/rules.h"

#include "libwm/model/limit_match.h"
#include "libwm/sched/capacity/host_rules.h"
#include "libwm/sched/shares/fill.h"

namespace wm::sched {
namespace {

constexpr std::int64_t kMegabyte = 1 << 20;

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

std::int64_t cost_on_host(Counts counts, const JobSpec& spec, std::int64_t tasks, bool is_there) {
  bool once = counts == Counts::Jobs || (counts == Counts::Mem && spec.task.mem_per_host);
  if (once) tasks = is_there || tasks == 0 ? 0 : 1;
  return counts == Counts::Jobs ? tasks : cost_of(counts, spec, tasks, 0);
}

std::int64_t tasks_for(Counts counts, const JobSpec& spec, std::int64_t left, bool is_there) {
  std::int64_t first = cost_on_host(counts, spec, 1, is_there);
  std::int64_t next = cost_on_host(counts, spec, 1, true);
  if (first == 0) return kNoLimit;
  if (left < first) return 0;
  return next == 0 ? kNoLimit : left / next;
}

std::string use_text(Counts counts, std::int64_t used, std::int64_t limit) {
  const char* unit = counts == Counts::Slots ? " slots" : counts == Counts::Jobs ? " jobs" : " MB";
  return std::to_string(used) + " of " + std::to_string(limit) + unit + " in use";
}

Rules::Rules(const Cluster& cluster, WallTime now) : config_(cluster.config.get()) {
  const ClockSteps& clock = config_->clock;
  for (const LimitRule& rule : config_->limits) {
    if (rule.reserve) continue;
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
  LimitKey key;
  if (!find_limit_key(*config_, rule, spec, key)) return false;
  made.key = std::move(key.key);
  made.text = std::move(key.text);
  return true;
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
    if (!is_on_hosts(*rule) || !concerns_job(*rule, spec, made)) continue;
    auto listed = [&](const std::vector<std::string>& names) {
      return names_host(names, *config_, host);
    };
    if (!rule->hosts.names.empty() && !is_meant(rule->hosts.names, listed)) continue;
    add_amounts(*rule, made, all);
  }
  return all;
}

}  // namespace wm::sched
