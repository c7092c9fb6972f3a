#include "libwm/model/limit_match.h"

#include <algorithm>

#include "libwm/model/cluster.h"

namespace wm {
namespace {

// Of what a rule says of one respect: false where it is not about the job; `each` adds to the key.
template <class Listed>
bool add(const Consumers& consumers, const char* what, const std::string& name, LimitKey& key,
         Listed listed) {
  if (!consumers.names.empty() && !is_meant(consumers.names, listed)) return false;
  if (!consumers.each) return true;
  key.key += std::string("\n") + what + name;
  key.text += std::string(", ") + what + " <" + name + ">";
  return true;
}

}  // namespace

bool find_limit_key(const Config& config, const LimitRule& rule, const JobSpec& spec,
                    LimitKey& key) {
  key = {"limit\n" + rule.name, "limit <" + rule.name + ">"};
  using Names = std::vector<std::string>;
  auto exact = [](const std::string& name) {
    return [&name](const Names& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
  };
  auto user = [&](const Names& names) {
    return !names.empty() && is_listed(config, names, spec.owner);
  };
  auto plan = [&](const Names& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& name) { return is_in_group(spec.plan, name); });
  };
  return add(rule.users, "user", spec.owner.user, key, user) &&
         add(rule.queues, "queue", spec.queue, key, exact(spec.queue)) &&
         add(rule.projects, "project", spec.project, key, exact(spec.project)) &&
         add(rule.apps, "profile", spec.app, key, exact(spec.app)) &&
         add(rule.plans, "plan", spec.plan, key, plan);
}

}  // namespace wm
