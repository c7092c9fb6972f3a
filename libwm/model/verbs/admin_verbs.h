// Role: what administrators ask for, and who answers there: one request struct and one reply struct
// a verb. Rules as verbs.h says. Values only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// Administrators.
struct AdminRequest {
  using Reply = struct AdminReply;
  static constexpr Verb kVerb = Verb::Admin;
  enum class Act : std::uint8_t {
    Reconfig = 0,
    HostClose = 1,
    HostOpen = 2,
    HostDead = 3,
    QueueClose = 4,
    QueueOpen = 5,
    QueueInactivate = 6,
    QueueActivate = 7,
    GpuClose = 20,
    GpuOpen = 21,
    RebuildAcct = 22,  ///< accounting is made again from the history of events
    ClockTrust = 51,   ///< nothing waits any more because the clock was set
    Difference = 50,   ///< what Reconfig would change; nothing is changed
  };
  std::string request_key;
  Act act = Act::Reconfig;
  std::vector<std::string> names;  ///< hosts or queues
  std::string why;
  std::vector<std::string> gpus;  ///< of the one host named: indexes or uuids
  bool drain = false;             ///< of HostClose: what can go on elsewhere does
  bool operator==(const AdminRequest&) const = default;
};
struct AdminReply {
  std::vector<std::string> lines;  ///< what was done, one a line
  bool operator==(const AdminReply&) const = default;
};

/// Administrators. The whole live state, for bsim and bwhatif.
struct StateRequest {
  using Reply = struct StateReply;
  static constexpr Verb kVerb = Verb::State;
  bool operator==(const StateRequest&) const = default;
};
struct StateReply {
  std::string packed;  ///< codec bytes of Cluster, as codec::packed makes them
  bool operator==(const StateReply&) const = default;
};

/// Asks who answers there (lsid, and tests of the session itself).
struct PingRequest {
  using Reply = struct PingReply;
  static constexpr Verb kVerb = Verb::Ping;
  std::string text;
  bool operator==(const PingRequest&) const = default;
};
struct PingReply {
  std::string cluster, master, version;
  bool operator==(const PingReply&) const = default;
};

}  // namespace wm
