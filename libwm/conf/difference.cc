#include "libwm/conf/difference.h"

#include <algorithm>

#include "libwm/conf/keys.h"

namespace wm::conf {
namespace {

template <class T>
void compare(const std::string& where, T before, T after, std::span<const Key<T>> keys,
             std::vector<std::string>& lines) {
  auto shown = [](const std::string& text) { return text.empty() ? std::string("(none)") : text; };
  for (const auto& key : keys) {
    auto was = show_field(key.field(before)), is = show_field(key.field(after));
    if (was == is) continue;
    std::string late = key.effect == Effect::Restart ? " (when the daemons are started again)" : "";
    lines.push_back(where + std::string(key.name) + ": " + shown(was) + " -> " + shown(is) + late);
  }
}

template <class T>
const T* find(const std::vector<T>& list, std::string T::*name, const std::string& wanted) {
  auto at = std::ranges::find(list, wanted, name);
  return at == list.end() ? nullptr : &*at;
}

// One file that has the entries of a list as sections.
template <class T>
void compare_lists(const std::string& file, const std::vector<T>& before,
                   const std::vector<T>& after, std::string T::*name, std::span<const Key<T>> keys,
                   std::vector<std::string>& lines) {
  for (const auto& entry : before)
    if (!find(after, name, entry.*name)) lines.push_back(file + ": [" + entry.*name + "] is gone");
  for (const auto& entry : after) {
    auto where = file + ": [" + entry.*name + "] ";
    if (const T* was = find(before, name, entry.*name)) compare(where, *was, entry, keys, lines);
    else lines.push_back(where + "is new");
  }
}

}  // namespace

std::vector<std::string> differences(const Config& before, const Config& after) {
  std::vector<std::string> lines;
  compare("wm.conf: ", before.cluster, after.cluster, cluster_keys(), lines);
  compare_lists("queues.conf", before.queues, after.queues, &QueueConf::name, queue_keys(), lines);
  compare_lists("hosts.conf", before.hosts, after.hosts, &HostConf::name, host_keys(), lines);
  compare_lists("plans.conf", before.plans, after.plans, &PlanConf::path, plan_keys(), lines);
  compare_lists("apps.conf", before.apps, after.apps, &AppConf::name, app_keys(), lines);
  compare_lists("users.conf", before.users, after.users, &UserConf::name, user_keys(), lines);
  compare_lists("budgets.conf", before.budgets.list, after.budgets.list, &BudgetConf::name,
                budget_keys(), lines);
  compare_lists("limits.conf", before.limits, after.limits, &LimitRule::name, limit_keys(), lines);
  compare_lists("slas.conf", before.classes, after.classes, &ServiceClass::name, class_keys(),
                lines);
  return lines;
}

}  // namespace wm::conf
