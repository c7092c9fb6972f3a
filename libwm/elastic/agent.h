// Role: one agent of an elastic job, whole but without a body: its member part, the lead part
// while this host is appointed, heartbeats, and where each word goes. daemons/wagent gives
// it sockets; the tests give it a simulated world.
//
//   events: wnoded's words, workers' words (of no task: a reporter's), the lead's words, other
//           agents' words, time
//   actions: SendNode SendWorker SendLead SendAgent FollowLead DropAgent
//
// Invariants: orders of another attempt, or older ones, change nothing; there is a lead part
// exactly while the newest order names this host.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "libwm/elastic/lead.h"
#include "libwm/elastic/member.h"

namespace wm::elastic {

/// Between two heartbeats of the lead.
inline constexpr Duration kBeat = std::chrono::milliseconds(200);

/// The attempt and the host of this agent.
struct AgentIdentity {
  JobId job;
  Attempt attempt;
  HostId host;
  std::string address;  ///< where other agents reach it
};

/// The connection to wnoded, or to the lead, stands (again).
struct NodeUp {};
struct LeadUp {};
using AgentEvent =
    std::variant<NodeUp, NodeToAgent, WorkerSaid, LeadUp, LeadToAgent, FromAgent, Tick>;

/// Report to the master through wnoded; lost when there is no connection.
struct SendNode {
  AgentReport report;
};
struct SendWorker {
  TaskNumber task;
  ToWorker words;
};
/// To the lead on another host.
struct SendLead {
  AgentToLead words;
};
/// As lead, to another agent.
struct SendAgent {
  HostId host;
  LeadToAgent words;
};
/// Connect to the lead at this address from now on; empty: this host leads, hang up.
struct FollowLead {
  std::string address;
};
/// This host does not lead: close the connection of that agent, which will look again.
struct DropAgent {
  HostId host;
};
using AgentAction = std::variant<SendNode, SendWorker, SendLead, SendAgent, FollowLead, DropAgent>;

/// See the head of this file. @thread one   @owns its state; no I/O, no clock
class Agent {
 public:
  /// @units now: monotonic
  Agent(AgentIdentity identity, TimePoint now);

  /// Takes one event in; Tick is due at least every kBeat. @cost that of Lead::on
  std::vector<AgentAction> on(const AgentEvent& event, TimePoint now);

  /// The lead part, or null while another host leads.
  const Lead* lead() const { return lead_ ? &*lead_ : nullptr; }

 private:
  void take(const NodeUp&, TimePoint now);
  void take(const NodeToAgent& words, TimePoint now);
  void take(const NodeHeartbeat& beat, TimePoint now);
  void take(const WorkerSaid& said, TimePoint now);
  void take(const LeadUp&, TimePoint now);
  void take(const LeadToAgent& words, TimePoint now);
  void take(const FromAgent& from, TimePoint now);
  void take(const Tick&, TimePoint now);
  void obey(const AgentOrder& order, TimePoint now);
  void begin_lead(TimePoint now);
  void end_lead();
  void lead_on(const LeadEvent& event, TimePoint now);
  void pass(MemberOutput out, TimePoint now);
  void report(const AgentFact& fact);
  void remember(const AgentFact& fact);

  AgentIdentity identity_;
  Member member_;
  std::optional<Lead> lead_;
  AgentOrder order_;
  std::set<HostId> peers_;             ///< agents that have spoken to this lead
  std::optional<EpochFormed> formed_;  ///< newest, said again on a new connection
  std::vector<TaskFaulty> faulty_;
  MasterSeen master_ = MasterSeen::Silent;
  TimePoint beat_at_{};
  std::vector<AgentAction> actions_;
};

}  // namespace wm::elastic
