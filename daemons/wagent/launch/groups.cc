#include "daemons/wagent/launch/groups.h"

#include <algorithm>

namespace wm::wagent {
namespace {

Result<const AgentGroup*> group_named(const AgentOrder& order, const std::string& name) {
  auto at = std::ranges::find(order.groups, name, &AgentGroup::name);
  if (at != order.groups.end()) return &*at;
  std::string known;
  for (const auto& group : order.groups) known += " <" + group.name + ">";
  return fail(Code::NotFound,
              "no group <" + name + ">; the job has" + (known.empty() ? " none" : known));
}

}  // namespace

Result<AgentAt> agent_at(const AgentOrder& order, const std::string& group,
                         const std::string& host) {
  const auto* agents = &order.agents;
  std::string key, whose = "this job";
  if (!group.empty()) {
    WM_TRY(const AgentGroup* named, group_named(order, group));
    agents = &named->agents;
    key = named->key;
    whose = "group <" + group + ">";
  }
  auto at = std::ranges::find(*agents, host, &AgentPlace::name);
  if (at != agents->end()) return AgentAt{at->launch, std::move(key)};
  return fail(Code::NotFound, "host <" + host + "> is not one of " + whose + "'s");
}

Result<std::vector<std::string>> slots_of(const AgentOrder& order, const std::string& group) {
  WM_TRY(const AgentGroup* named, group_named(order, group));
  std::vector<std::string> slots;
  for (const auto& place : named->agents) slots.insert(slots.end(), place.tasks, place.name);
  if (slots.empty()) return fail(Code::Unavailable, "group <" + group + "> has no task now");
  return slots;
}

}  // namespace wm::wagent
