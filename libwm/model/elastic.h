// Role: what the parties of an elastic job say to each other (DESIGN 5.2). Values only.
//
//   master ──AgentOrder──► agent ◄──frames──► agent of the lead ──plans──► all agents
//      ▲                     │ unix socket $WM_ELASTIC_SOCKET
//      └──AgentReport────────┤
//                          worker (one per task; libwm/trainer inside the user's program)
//
// The master decides slots (AgentOrder: which tasks there should be), the job's lead (the
// agent on rank 0's host, appointed by number) decides epochs. Every message is a
// statement of fact or of the wanted state, never a step: a repeat is harmless.
// Worker's life:  hello → ready → [plan → connected → switched]* → left | done
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/agent_places.h"

namespace wm {

// ---- worker → agent ------------------------------------------------------------------

/// First words of a worker. `max_tasks`: the script's engines_number, 0 = no wish. `trainings`: how
/// many its program has been through before this one; with more than before it begins anew.
struct WorkerHello {
  std::uint32_t version = 1;
  TaskNumber task;
  std::int32_t pid = 0;
  std::uint32_t max_tasks = 0;
  std::uint32_t trainings = 0;
  bool operator==(const WorkerHello&) const = default;
};
/// The model is built; `rendezvous` is "address:port" of a store this worker serves, used
/// for every epoch in which it is rank 0.
struct WorkerReady {
  std::string rendezvous;
  bool operator==(const WorkerReady&) const = default;
};
/// The communicator of a planned epoch stands (from this worker's view: full mesh); from a
/// leaver: it has seen the plan and will leave.
struct WorkerConnected {
  EpochNumber epoch;
  bool operator==(const WorkerConnected&) const = default;
};
/// The communicator could not be built; the epoch is to be withdrawn.
struct WorkerConnectFailed {
  EpochNumber epoch;
  std::string text;
  bool operator==(const WorkerConnectFailed&) const = default;
};
/// This worker now trains in `epoch`; `step` optimizer steps are applied on it.
/// `pause`: gap it saw between the last step of the old epoch and the first of the new,
/// less the median gap before; known one step later, hence repeated with the value.
struct WorkerSwitched {
  EpochNumber epoch;
  std::uint64_t step = 0;
  Duration pause{};
  bool pause_known = false;
  bool operator==(const WorkerSwitched&) const = default;
};
/// A collective of `epoch` failed here, or EpochBroken of `epoch` was obeyed; all groups up
/// to that number are closed and the worker waits for the next plan, `step` steps applied.
struct WorkerFaulted {
  EpochNumber epoch;
  std::uint64_t step = 0;
  std::string text;
  bool operator==(const WorkerFaulted&) const = default;
};
/// Between which global batches a training may choose. @units samples
struct BatchRange {
  std::uint64_t initial = 0;  ///< the one its learning rate was made for; 0: it does not choose
  std::uint64_t most = 0;     ///< of a step
  std::uint64_t at_once = 0;  ///< that a worker computes at once
  bool operator==(const BatchRange&) const = default;
};
/// Once a second, never per step. `noise`: gradient noise scale, negative = not reported.
struct WorkerProgress {
  EpochNumber epoch;
  std::uint64_t step = 0;
  std::uint64_t samples = 0;     ///< of the whole job, applied
  std::uint32_t data_epoch = 0;  ///< pass over the data set, from 0
  double loss = 0;
  double accuracy = -1;  ///< of validation, 0..1; negative = none yet
  Duration step_time{};  ///< median over the last second
  double samples_per_s = 0;
  double noise = -1;
  bool in_collective = false;  ///< waiting for the others, or saving, right now
  /// Part of step_time that exchanging gradients adds; negative = not measured.
  Duration exchange = Duration(-1);
  BatchRange batch;
  bool operator==(const WorkerProgress&) const = default;
};
/// Left out of the epoch after its last step; exits 0 now.
struct WorkerLeft {
  EpochNumber last_epoch;
  bool operator==(const WorkerLeft&) const = default;
};
/// The training is complete on this worker; `trainings` went before it.
struct WorkerDone {
  std::uint64_t step = 0;
  std::uint32_t trainings = 0;
  bool operator==(const WorkerDone&) const = default;
};
using FromWorker =
    std::variant<WorkerHello, WorkerReady, WorkerConnected, WorkerConnectFailed, WorkerSwitched,
                 WorkerFaulted, WorkerProgress, WorkerLeft, WorkerDone>;

// ---- agent → worker --------------------------------------------------------------------

/// Why there is an epoch.
enum class EpochCause : std::uint8_t {
  Untold = 0,  ///< only between an older program's bytes and their reading
  Start = 1,   ///< nobody carries a state: the training begins, or begins anew
  Resize = 2,  ///< somebody chose another size
  Loss = 3,    ///< members were lost, or the lead was
};

/// Epoch `epoch` shall be: connect to it in the background, go on with the old one, switch
/// when the flags in the gradient all-reduce say that everybody has connected. With
/// `emergency` there is no old group: connect at once. The first collective of every new
/// group exchanges (applied step, has state); the highest step is the source. Only the
/// first `survivors` members may have state. Goes to leavers too: they miss in `members`.
struct EpochPlan {
  EpochNumber epoch;
  LeadNumber lead;
  std::vector<TaskNumber> members;  ///< rank order: survivors first, in their old order
  std::string rendezvous;           ///< store of rank 0's worker
  bool emergency = false;
  std::string reason;           ///< for people: "start", "grow", "lost task 3: signal 9"
  std::uint32_t survivors = 0;  ///< how many of `members`, from the front, carry state
  EpochCause cause = EpochCause::Untold;
  bool operator==(const EpochPlan&) const = default;
};
/// A planned epoch will not be; go on in the old one. Its number is dead.
struct EpochWithdrawn {
  EpochNumber epoch;
  std::string reason;
  bool operator==(const EpochWithdrawn&) const = default;
};
/// A member is lost: every group up to `epoch` is dead. Abort them now, answer WorkerFaulted.
struct EpochBroken {
  EpochNumber epoch;
  std::string reason;
  bool operator==(const EpochBroken&) const = default;
};
/// This task is not wanted any more and is no member: exit 0. With `trainings` above its own it is
/// wanted, in a later training of the program: leave this one.
struct WorkerLeave {
  std::string reason;
  std::uint32_t trainings = 0;
  bool operator==(const WorkerLeave&) const = default;
};
/// Neither lead nor master is heard: stop at the next step boundary and write nothing
/// (`stand` true), or go on (false).
struct WorkerStand {
  bool stand = true;
  bool operator==(const WorkerStand&) const = default;
};
/// Write a checkpoint at the next step boundary (SIGTERM with grace, -wa CHKPNT).
struct WorkerCheckpoint {
  std::string reason;
  bool operator==(const WorkerCheckpoint&) const = default;
};
using ToWorker = std::variant<EpochPlan, EpochWithdrawn, EpochBroken, WorkerLeave, WorkerStand,
                              WorkerCheckpoint>;

// ---- master → agent --------------------------------------------------------------------

/// A task as the master wants it.
struct WantedTask {
  TaskNumber task;
  HostId host;
  bool leaving = false;  ///< to be left out of the next epoch
  bool operator==(const WantedTask&) const = default;
};
/// Address of an agent: where the lead is found.
struct AgentAddress {
  HostId host;
  std::string address;  ///< numeric "127.3.1.2:40123"
  bool operator==(const AgentAddress&) const = default;
};
/// The console of an attempt that has ended, which its agent keeps until it is read.
struct EndedConsole {
  Attempt attempt;
  TaskNumber task;
  HostId host;
  std::string door;
  bool operator==(const EndedConsole&) const = default;
};
/// The wanted membership of one attempt. Higher (lead, generation) wins; sent again whenever
/// in doubt.
struct AgentOrder {
  JobId job;
  Attempt attempt;
  LeadNumber lead;
  HostId lead_host;
  std::string lead_address;
  std::uint64_t generation = 0;
  std::vector<WantedTask> tasks;   ///< to the lead's host alone: nobody else decides by them
  Duration start_window{};         ///< epoch 1 holds ready workers this long for the others
  Duration connect_limit{};        ///< a planned epoch not connected by then is withdrawn
  Duration hang_limit{};           ///< least wait before a member missing in a collective is failed
  EpochNumber last_epoch;          ///< highest the master has heard of: a new lead starts above
  std::vector<AgentPlace> agents;  ///< one a host of the job, in the order of their first task
  /// Of a change: `agents` are those that are new or differ, `gone` are to be left out, of the list
  /// in the order with this generation, which the host keeps. 0: `agents` are all.
  std::uint64_t since = 0;
  std::vector<HostId> gone;
  std::uint32_t world = 0;         ///< wanted tasks that do not leave
  std::vector<AgentGroup> groups;  ///< all of the job, its own too; empty: it has none
  bool operator==(const AgentOrder&) const = default;
};

/// How wnoded sees the master. Down: its host refuses the connection, so it is not running;
/// Silent: no answer, it may live on the far side of a cut.
enum class MasterSeen : std::uint8_t { Silent = 0, Heard = 1, Down = 2 };
/// wnoded to agent: once its AgentUp is heard; of an elastic job every 200 ms from then on.
struct NodeHeartbeat {
  MasterSeen master = MasterSeen::Silent;
  bool operator==(const NodeHeartbeat&) const = default;
};
/// The task's process has ended (seen in milliseconds by its shepherd); also agent to lead.
struct TaskGone {
  TaskNumber task;
  std::string reason;
  bool operator==(const TaskGone&) const = default;
};
/// What wnoded says to an agent. WorkerCheckpoint is for all its workers.
using NodeToAgent = std::variant<AgentOrder, TaskGone, NodeHeartbeat, WorkerCheckpoint>;

// ---- agent → master (through its host's wnoded) ----------------------------------------

/// An agent is up and can be reached; also says where it is.
struct AgentUp {
  std::string address;
  AgentDoors doors;
  bool operator==(const AgentUp&) const = default;
};
/// An epoch is in force: every member has switched.
struct EpochFormed {
  EpochNumber epoch;
  LeadNumber lead;
  std::vector<TaskNumber> members;
  std::uint64_t step = 0;
  Duration pause{};          ///< maximum over survivors
  bool pause_known = false;  ///< false: repeated with the value once it is known
  std::uint32_t steps_lost = 0;
  std::string reason;  ///< for people
  EpochCause cause = EpochCause::Untold;
  bool operator==(const EpochFormed&) const = default;
};
/// The script limits its own size (engines_number).
struct WorkersCapped {
  std::uint32_t max_tasks = 0;
  bool operator==(const WorkersCapped&) const = default;
};
/// A worker said hello: the job is resized in place from now on.
struct WorkerSeen {
  TaskNumber task;
  bool operator==(const WorkerSeen&) const = default;
};
/// A member hangs or obeys nothing; the master ends the task.
struct TaskFaulty {
  TaskNumber task;
  std::string reason;
  bool operator==(const TaskFaulty&) const = default;
};
/// Progress of the whole job, from rank 0, once a second.
struct JobProgress {
  WorkerProgress progress;
  std::uint32_t world = 0;
  bool operator==(const JobProgress&) const = default;
};
/// What a training writes of how it goes (val_dict_list.json), its newest line.
struct TrialSaid {
  std::string report;  ///< one JSON object
  bool operator==(const TrialSaid&) const = default;
};
using AgentFact = std::variant<AgentUp, EpochFormed, WorkersCapped, WorkerSeen, TaskFaulty,
                               JobProgress, TrialSaid>;
/// One fact about one attempt, from the agent on `host`.
struct AgentReport {
  JobId job;
  Attempt attempt;
  HostId host;
  AgentFact fact;
  bool operator==(const AgentReport&) const = default;
};

// ---- agent ↔ lead ------------------------------------------------------------------------

/// Where a worker stands; enough for a new lead to go on from.
struct WorkerStatus {
  TaskNumber task;
  std::string rendezvous;  ///< empty until ready
  EpochNumber epoch;       ///< it trains in, 0 = none yet
  EpochNumber connected;   ///< highest planned epoch it has connected to
  EpochNumber faulted;     ///< epoch with a group that it has closed, 0 = none
  std::uint64_t step = 0;
  bool left = false;
  bool done = false;
  std::uint32_t trainings = 0;  ///< its program went through before; all else is of this one
  bool operator==(const WorkerStatus&) const = default;
};
/// Agent to lead: everything about its workers; sent on connecting and at every change.
struct AgentStatus {
  HostId host;
  LeadNumber lead;  ///< highest number this agent has seen
  std::vector<WorkerStatus> workers;
  std::vector<TaskNumber> gone;  ///< tasks that have ended here
  std::vector<EpochPlan> plans;  ///< newest plans passed on here, oldest first
  EpochNumber broken;            ///< highest number told broken here
  EpochNumber withdrawn;         ///< highest number told withdrawn here
  bool operator==(const AgentStatus&) const = default;
};
/// Agent to lead: a worker's own words.
struct WorkerSaid {
  TaskNumber task;
  FromWorker words;
  bool operator==(const WorkerSaid&) const = default;
};
/// Both ways, every 200 ms.
struct Heartbeat {
  LeadNumber lead;
  bool operator==(const Heartbeat&) const = default;
};
/// Lead to agent: words for one of its workers.
struct TellWorker {
  LeadNumber lead;
  TaskNumber task;
  ToWorker words;
  bool operator==(const TellWorker&) const = default;
};
using AgentToLead = std::variant<AgentStatus, WorkerSaid, TaskGone, Heartbeat>;
using LeadToAgent = std::variant<TellWorker, Heartbeat>;

}  // namespace wm
