// Role: what has changed of where a job's agents are: of a job on a thousand hosts each host is
// sent that, not the whole list again. The master makes it (daemons/wmasterd/hosts/agent_news.h), a
// host puts it into the list that it keeps. Pure.
#pragma once

#include <optional>
#include <vector>

#include "libwm/model/elastic.h"

namespace wm::elastic {

struct AgentChange {
  std::vector<AgentPlace> agents;  ///< new or different ones, in the order of the new list
  std::vector<HostId> gone;
};

/// What makes `now` of `before`. None: the order of those that stay differs, so that the whole list
/// has to be told. @cost O(places log places)
std::optional<AgentChange> change_between(const std::vector<AgentPlace>& before,
                                          const std::vector<AgentPlace>& now);

/// The list after a change of it: different ones in their places, new ones at the end.
/// @cost O(places log places)
std::vector<AgentPlace> changed(std::vector<AgentPlace> list, const AgentChange& change);

/// Makes the whole of an order that is a change of `kept`, the order before it on this host.
/// @errors Stale: it is a change of another, the master tells everything again to a host that
///         registers
/// @cost O(places log places)
Result<AgentOrder> completed(AgentOrder order, const std::optional<AgentOrder>& kept);

}  // namespace wm::elastic
