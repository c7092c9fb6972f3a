// Role: the one that decides the membership epochs of an elastic job (PROTOCOL.md, L-rules). A
// pure machine: events and the time in, words for workers and reports for the master out.
//
//            ┌────────────── withdrawn: the old group goes on ─────────────┐
//            ▼                                                             │
//   gathering ──► no group ──start──► planned ──all switched──► whole ──plan──► planned
//                     ▲                  │ member lost            │ member lost
//                     └─ nobody is left ─┴──────► recovering ◄────┘
//                                                     └─ all have answered ──► planned (emergency)
//
// The master says which tasks shall be there (AgentOrder); the lead says which of them train
// together, as numbered epochs, and from when. Planned: newcomers connect while the others train
// on; at some step the all-reduce itself shows that all are ready, and all switch after it: the
// lead only hears of that. So its word is never needed for a step to go on, and it may be killed
// at any time. Gathering: a new lead asks every agent what it remembers and goes on as if it
// had been there (resume.h). Recovering: a member is gone; the rest say how far they are.
//
// Invariants: numbers only rise and are never reused; one plan is in flight; the words each worker
// should have heard last follow from the state alone, so a repeat or a reconnect needs no memory
// of what was lost. Called by Agent, on the host that AgentOrder names.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "libwm/elastic/choose.h"
#include "libwm/elastic/resume.h"
#include "libwm/elastic/roster.h"

namespace wm::elastic {

/// A lead with predecessors begins in a block of its own, the n-th n - 1 blocks of this size above
/// the highest number it knows of: numbers that a predecessor used and nobody remembers are below.
inline constexpr std::uint32_t kLeadBlock = 100;
/// Planned epochs that may fail to connect because of one newcomer.
inline constexpr unsigned kConnectTries = 3;

/// Words that an agent sent to the lead.
struct FromAgent {
  HostId host;
  AgentToLead words;
};
/// Time passes; at least every 200 ms.
struct Tick {};
using LeadEvent = std::variant<AgentOrder, FromAgent, NodeHeartbeat, Tick>;

/// Words for a worker, by way of its host's agent.
struct ToHost {
  HostId host;
  TellWorker words;
  bool operator==(const ToHost&) const = default;
};
/// What the lead wants done after one event.
struct LeadOutput {
  std::vector<ToHost> tell;
  std::vector<AgentFact> facts;
};

/// See the head of this file. @thread one   @owns its state; no I/O, no clock
class Lead {
 public:
  /// A lead appointed by `order` on its own host. @units now: monotonic
  Lead(const AgentOrder& order, TimePoint now);

  /// Takes one event in. @cost O(log tasks) for a report, else O(tasks log tasks)
  ///  @units now: monotonic, never falling
  LeadOutput on(const LeadEvent& event, TimePoint now);

  LeadNumber number() const { return roster_.order.lead; }
  /// The membership in force; without members while there is none.
  const EpochPlan& current() const { return current_; }

 private:
  struct InFlight {
    EpochPlan plan;
    Words words;                        ///< the plan, as it is told
    std::optional<TimePoint> deadline;  ///< none once all have connected
    bool keeps_leavers = false;
  };
  /// Who is in which group, while words are looked for.
  struct Groups {
    TaskSet current, planned, recovering, withdrawn;
    bool finishing = false;
  };
  struct Recovery {
    EpochNumber broken;
    std::string reason;
    std::vector<TaskNumber> group;  ///< those that carry state, in rank order
    TimePoint deadline;
  };
  struct Formed {
    EpochFormed fact;
    std::vector<TaskNumber> survivors;
    bool said = false;  ///< without the pauses
  };
  struct Withdrawn {
    EpochNumber epoch;
    Words words;
    std::vector<TaskNumber> members;
  };

  // events (lead.cc)
  void take(const AgentOrder& order, TimePoint now);
  void take(const FromAgent& from, TimePoint now);
  void take(const NodeHeartbeat& beat, TimePoint now);
  void take(const Tick&, TimePoint) {}
  bool is_report(const LeadEvent& event) const;
  void react(TimePoint now);
  bool gather(TimePoint now);
  bool knows_newest() const;
  void follow_program();
  bool advance(TimePoint now);
  void watch(TimePoint now);
  void miss_unlisted();
  void report_progress(const FromWorker& words);
  void expel(TaskNumber task, const std::string& reason);
  void report_faulty(TaskNumber task, const std::string& reason);

  // plans (lead_plan.cc)
  bool propose(TimePoint now);
  bool propose_first(TimePoint now);
  /// Why an epoch is to be; one after a loss is an emergency.
  struct Ground {
    EpochCause cause = EpochCause::Start;
    std::string reason;
  };
  bool publish(const Choice& choice, Ground ground, TimePoint now);
  bool follow_plan(TimePoint now);
  bool is_outdated() const;
  bool somebody_switched() const;
  bool everybody_switched() const;
  void withdraw(std::string reason);
  void blame(TimePoint now);
  void form();

  // failures (lead_recover.cc)
  std::optional<std::string> find_break() const;
  std::optional<std::string> find_break_in(const std::vector<TaskNumber>& members,
                                           EpochNumber epoch) const;
  void start_recovery(std::string reason, TimePoint now);
  bool recover(TimePoint now);
  bool somebody_may_train() const;
  bool await_answers(const std::vector<TaskNumber>& rest, TimePoint now);

  // words (lead_speak.cc)
  void speak();
  void say(TaskNumber number, Words words);
  Groups groups() const;
  Words words_for(TaskNumber task, const Groups& groups) const;
  bool is_on_its_way(const WorkerStatus& status) const;
  Words words_for_outsider(TaskNumber number, const Groups& groups) const;
  bool is_past_withdrawal(TaskNumber number) const;
  void report_formed();

  Roster roster_;
  Remembered past_;
  TimePoint born_;
  bool gathered_ = false;
  bool deposed_ = false;
  TimePoint master_at_;                   ///< last word of wnoded on the master
  std::optional<TimePoint> heard_since_;  ///< none once the master was silent, not down

  EpochPlan current_;    ///< without members: nobody carries state
  bool intact_ = false;  ///< current_ is a working group
  EpochNumber last_;     ///< highest number used or seen
  std::optional<InFlight> plan_;
  std::optional<Recovery> recovery_;
  std::optional<Formed> formed_;
  Withdrawn withdrawn_;
  std::uint64_t newest_step_ = 0;  ///< applied by anyone before the break
  unsigned setbacks_ = 0;          ///< plans withdrawn in a row
  TimePoint not_before_{};         ///< no plan earlier
  std::optional<TimePoint> first_ready_;
  std::uint32_t trainings_ = 0;  ///< that the program went through before the one of current_
  LeadOutput out_;
};

}  // namespace wm::elastic
