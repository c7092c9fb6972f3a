// Role: the conversation with the agents of this host's attempts: what the master orders of them,
// what they report, how the master is seen. An agent is its user's process (attempts/agent_flow.h).
#pragma once

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/own_host.h"
#include "daemons/wnoded/reporter.h"

namespace wm::node {

/// @thread the loop's
class AgentTalk {
 public:
  AgentTalk(const OwnHost& host, Attempts& attempts, Reporter& reporter)
      : host_(host), attempts_(attempts), reporter_(reporter) {}

  /// May a process of this user speak for this attempt? @cost O(log attempts)
  bool admits(const launch::AttemptKey& key, std::uint32_t uid) const;
  /// A report, of which as much is heard as an agent may tell.
  void on_report(const launch::AttemptKey& key, const AgentReport& report);
  /// The master's order for the attempt's agent, whole or a change of the one before. A change of
  /// an order that is not known is of a session before: everything is told again.
  void on_order(const AgentOrder& order);
  /// Hears what waited, and tells agents of elastic jobs how the master is seen. True: there are
  /// any.
  bool on_tick(MasterSeen seen);

 private:
  void hear(LocalAttempt& attempt, const AgentReport& report);
  void on_up(LocalAttempt& attempt, const AgentUp& up);

  const OwnHost& host_;
  Attempts& attempts_;
  Reporter& reporter_;
  MasterSeen seen_ = MasterSeen::Silent;  ///< at the last tick
};

}  // namespace wm::node
