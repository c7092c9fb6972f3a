// Role: where blaunch finds the tasks of its job: the hosts of the agent's own group, or of
// another, as the master named them. Pure.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/elastic.h"

namespace wm::wagent {

/// The agent of one host, and the key by which it lets others in.
struct AgentAt {
  std::string launch;  ///< empty: not up yet
  std::string key;     ///< 32 raw bytes; empty: that of the agent's own group
  bool operator==(const AgentAt&) const = default;
};

/// The agent of that host in that group; empty: in the agent's own.
/// @errors NotFound: no such group, or the host is not of it   @cost O(groups + hosts)
Result<AgentAt> agent_at(const AgentOrder& order, const std::string& group,
                         const std::string& host);

/// The host of each task of a group, host by host.
/// @errors NotFound: no such group; Unavailable: it has no task now   @cost O(groups + tasks)
Result<std::vector<std::string>> slots_of(const AgentOrder& order, const std::string& group);

}  // namespace wm::wagent
