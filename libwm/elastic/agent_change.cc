#include "libwm/elastic/agent_change.h"

#include <algorithm>
#include <map>
#include <set>

namespace wm::elastic {

std::vector<AgentPlace> changed(std::vector<AgentPlace> list, const AgentChange& change) {
  std::set<HostId> gone(change.gone.begin(), change.gone.end());
  std::erase_if(list, [&](const AgentPlace& place) { return gone.contains(place.host); });
  std::map<HostId, std::size_t> at;
  for (std::size_t i = 0; i < list.size(); ++i) at.emplace(list[i].host, i);
  for (const AgentPlace& place : change.agents) {
    auto known = at.find(place.host);
    if (known == at.end()) list.push_back(place);
    else list[known->second] = place;
  }
  return list;
}

std::optional<AgentChange> change_between(const std::vector<AgentPlace>& before,
                                          const std::vector<AgentPlace>& now) {
  std::map<HostId, const AgentPlace*> was;
  for (const AgentPlace& place : before) was.emplace(place.host, &place);
  AgentChange change;
  for (const AgentPlace& place : now) {
    auto known = was.find(place.host);
    if (known == was.end() || !(*known->second == place)) change.agents.push_back(place);
    if (known != was.end()) was.erase(known);
  }
  for (const auto& [host, place] : was) change.gone.push_back(host);
  if (changed(before, change) != now) return std::nullopt;
  return change;
}

Result<AgentOrder> completed(AgentOrder order, const std::optional<AgentOrder>& kept) {
  if (order.since == 0) return order;
  if (!kept || kept->generation != order.since)
    return fail(Code::Stale, "a change of an order that is not kept");
  order.agents = changed(kept->agents, {order.agents, order.gone});
  order.gone.clear();
  order.since = 0;
  return order;
}

}  // namespace wm::elastic
