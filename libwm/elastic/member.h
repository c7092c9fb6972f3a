// Role: an agent's everyday part, the same on every host: the table of local workers, which lead
// to obey, what to pass on, and when workers must stand still (PROTOCOL.md, L-2 to L-4).
//
//   worker words ──► status table ──► lead (single words; the whole table on every new connection)
//   lead words   ──► worker, remembered so that a worker that reconnects hears them again
//
// Invariants: words with a lower lead number than the highest seen go nowhere; workers train only
// while the lead or the master was heard within kStandAfter. Called by Agent.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "libwm/model/elastic.h"

namespace wm::elastic {

/// Neither lead nor master heard for this long: the workers stand.
inline constexpr Duration kStandAfter = std::chrono::seconds(1);

/// Words for a local worker.
struct ToLocal {
  TaskNumber task;
  ToWorker words;
  bool operator==(const ToLocal&) const = default;
};
/// What the member wants done after one event.
struct MemberOutput {
  std::vector<ToLocal> workers;
  std::vector<AgentToLead> lead;
  std::vector<AgentFact> facts;
};

/// See the head of this file. @thread one   @owns its state; no I/O, no clock
class Member {
 public:
  /// @units now: monotonic; lead and master count as heard at `now`
  Member(HostId host, TimePoint now) : host_(host), lead_heard_(now), master_heard_(now) {}

  /// A local worker's words. A worker that says hello again hears its last words again.
  /// @cost O(log workers)
  MemberOutput on_worker(const WorkerSaid& said);
  /// A local task's process has ended.
  MemberOutput on_gone(const TaskGone& gone);
  /// Words of a lead. @cost O(log workers)
  MemberOutput on_lead(const LeadToAgent& words, TimePoint now);
  /// The master wants a checkpoint.
  MemberOutput on_checkpoint(const WorkerCheckpoint& words) const;
  /// Time passes: decides whether the workers may go on. @cost O(workers)
  MemberOutput on_tick(TimePoint now);
  /// The lead's number is at least this from now on.
  void obey(LeadNumber lead) { lead_ = std::max(lead_, lead); }
  void hear_lead(TimePoint now) { lead_heard_ = now; }
  void hear_master(TimePoint now) { master_heard_ = now; }

  /// All a new lead needs to know of this host. @cost O(workers)
  AgentStatus status() const;
  /// All the master should know of this host's workers, for a new connection. @cost O(workers)
  std::vector<AgentFact> facts() const;

 private:
  struct Worker {
    WorkerStatus status;
    std::uint32_t max_tasks = 0;
    std::optional<ToWorker> told;
    bool seen = false;
  };
  void greet(const WorkerHello& hello, MemberOutput& out);
  void remember(const TellWorker& tell);
  std::uint32_t cap() const;

  HostId host_;
  LeadNumber lead_;
  TimePoint lead_heard_;
  TimePoint master_heard_;
  bool standing_ = false;
  std::map<TaskNumber, Worker> workers_;
  std::vector<TaskNumber> gone_;
  std::map<EpochNumber, EpochPlan> plans_;
  EpochNumber broken_;
  EpochNumber withdrawn_;
};

}  // namespace wm::elastic
