// Role: where the agents of a job are, and how they let each other in. Values only; part of
// elastic.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"

namespace wm {

/// Where an agent lets others in. Empty: nowhere.
struct AgentDoors {
  std::string launch;  ///< other agents of the job, by the job's key: starts commands here
  std::string owner;   ///< commands of the job's owner, by the identity service
  bool operator==(const AgentDoors&) const = default;
};
/// An agent of the job as the others find it.
struct AgentPlace {
  HostId host;
  std::string name;         ///< of the host
  std::string launch;       ///< empty: not up yet
  std::uint32_t tasks = 0;  ///< of the job that are wanted there
  bool operator==(const AgentPlace&) const = default;
};
/// A group of the job as the agents of all its groups find it.
struct AgentGroup {
  std::string name;
  std::string key;                 ///< of its attempt, 32 raw bytes; empty: it does not run
  std::vector<AgentPlace> agents;  ///< as AgentOrder::agents
  bool operator==(const AgentGroup&) const = default;
};

}  // namespace wm
