// Role: what master and wnoded say to each other. Orders state what an attempt shall be on
// a host, facts state what it is; both may be repeated. The host's truth about what runs
// wins. Values only; carried by libwm/wire frames of type NodeVerb.
//
//   wnoded ── HostRegister ──► master      (again after every reconnect)
//          ◄─ HostWelcome ───
//          ◄─ HostOrder ────  per attempt; ── HostFact ──► until HostAck
//          ◄─ AgentOrder ───  ── HostFact{AgentReport} ──►
//          ◄─ PeekRequest ──  ── PeekReply ──►            Heartbeat both ways
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/attempt_use.h"
#include "libwm/model/elastic.h"
#include "libwm/model/host.h"
#include "libwm/model/job.h"
#include "libwm/model/job_hosts.h"
#include "libwm/model/master_rank.h"
#include "libwm/model/meeting.h"

namespace wm {

/// Frame types between wnoded and wmasterd. Append-only; the first 16 types are the session's.
enum class NodeVerb : std::uint16_t {
  Register = 201,
  Welcome = 202,
  Order = 203,
  Fact = 204,
  Ack = 205,
  Heartbeat = 206,  ///< HostHeartbeat to the master, its MasterRank back
  Agent = 207,      ///< AgentOrder, master to host
  Signal = 208,
  Peek = 209,
  PeekReply = 210,
  Forget = 211,
  Refused = 212,   ///< payload: text; the registration is not accepted
  Recall = 213,    ///< HostRecall, master to host
  Recalled = 214,  ///< HostRecalled, host to master
  Gpus = 230,      ///< GpuReports, host to master: when one changes, and now and then
};

/// A task that runs, or has an end that the master has not acknowledged.
struct TaskStatus {
  TaskNumber task;
  std::int32_t pid = 0;  ///< 0: not started yet
  bool operator==(const TaskStatus&) const = default;
};
/// An attempt this host knows.
struct AttemptStatus {
  JobId job;
  Attempt attempt;
  std::vector<TaskStatus> tasks;
  std::string agent_address;  ///< of its elastic agent; empty: none
  AgentDoors doors;           ///< of the same agent
  bool operator==(const AttemptStatus&) const = default;
};

/// First frame of a host. `attempts` is everything that runs; ends not yet acknowledged
/// follow as facts at once.
struct HostRegister {
  std::uint32_t version = 1;
  std::string name, address, boot, type, model;
  Capacity capacity;
  std::vector<AttemptStatus> attempts;
  std::vector<GpuReport> gpus;  ///< how its devices are
  std::vector<Cpu> cpus;        ///< that jobs may be bound to, in the order of its topology
  std::uint64_t network = 0;    ///< as Host::network
  MasterRank obeyed;            ///< the highest that this host has obeyed
  bool takes_changes = false;   ///< knows AgentOrder::since
  bool recalls = false;         ///< answers HostRecall
  bool operator==(const HostRegister&) const = default;
};

/// How all devices of a host are.
struct GpuReports {
  std::vector<GpuReport> gpus;
  bool operator==(const GpuReports&) const = default;
};

/// The master's answer: the host's number and what it needs to know of the configuration.
struct HostWelcome {
  HostId host;
  std::string cluster;
  DirConf dirs;  ///< for hosts of earlier versions: a host goes by its own files
  TimeConf times;
  LimitConf limits;
  SiteScripts scripts;  ///< as dirs
  MasterRank master;    ///< who speaks; a host that has obeyed a higher one refuses it
  bool operator==(const HostWelcome&) const = default;
};

/// A task that shall run on this host.
struct OrderedTask {
  TaskNumber task;
  std::vector<std::uint16_t> gpus;
  std::vector<std::string> gpu_uuids;
  bool has_process = true;
  bool leave = false;      ///< asked to leave: SIGTERM, unless its worker is told in place
  bool kill = false;       ///< end it by force now
  Term term = Term::None;  ///< why, when `kill`
  bool operator==(const OrderedTask&) const = default;
};

/// Another group of the job, as processes of this one find it.
struct GroupPlaces {
  std::string name, role;
  std::vector<std::string> at;  ///< "host:port", by rank
  /// "10.0.0.1:port", by rank; older masters say none.
  std::vector<std::string> addresses;
  bool operator==(const GroupPlaces&) const = default;
};

/// What the submitter signed, and the credential that says so.
struct SignedBytes {
  std::string spec;  ///< SealedSpec: the signed bytes
  std::string credential, request_key;
  bool operator==(const SignedBytes&) const = default;
};

/// Files that came with a job; empty unless tasks are to be started.
struct Blobs {
  std::string script, env;
  std::string data;  ///< what an element of an open array was given
  bool operator==(const Blobs&) const = default;
};

/// What the tasks of an attempt have together.
struct Team {
  bool elastic = false;  ///< start an agent; workers may join
  std::uint32_t min_tasks = 1, max_tasks = 1;
  std::uint32_t restarts = 0;  ///< TORCHELASTIC_RESTART_COUNT
  /// A worker of it has said hello: members that are to leave hear it from their agent.
  bool in_place = false;
  TaskNumber writer;  ///< of an elastic job: its output goes to -o and -e; 0: rank 0's
  /// First of the ports leased on the first host for the job's rendezvous; 0: none yet.
  std::uint32_t port = 0;
  std::vector<GroupPlaces> groups;  ///< of a job with groups, in its order
  bool operator==(const Team&) const = default;
};

/// What is to be done to processes that run.
struct Control {
  bool end = false;  ///< end every task: TERM sequence
  Term end_term = Term::None;
  bool attach = false;           ///< its owner wants in: start an agent if there is none
  bool preempt = false;          ///< SIGTERM once: the tasks save their work and end
  bool suspend = false;          ///< its processes shall be stopped
  std::uint32_t relaunches = 0;  ///< higher than before: end every process, start it again
  bool operator==(const Control&) const = default;
};

/// A change of size that the first host asks the job's notification command about.
struct AskedChange {
  std::optional<ResizeNotice> notice;
  std::string command, hosts;  ///< "hostA 2 hostB 1"
  bool operator==(const AskedChange&) const = default;
};

/// All that this attempt shall be on this host. Tasks absent from `tasks` that the host
/// runs are not touched: they end only by `kill` or by `control.end`.
struct HostOrder {
  JobId job;
  Attempt attempt;
  std::uint64_t generation = 0;  ///< higher wins
  SignedBytes sealed;
  JobSpec resolved;  ///< with the master's defaults
  Blobs blobs;
  AppConf app;
  SideCommands queue_side;  ///< side_commands_of its queue
  JobControls queue_controls;
  std::vector<OrderedTask> tasks;  ///< on this host
  JobHosts hosts;                  ///< where the attempt's tasks are
  std::vector<PlacedTask> all;     ///< what older masters say instead; empty once it is read
  std::string key;                 ///< of the attempt, 32 raw bytes
  Launch launch = Launch::PerSlot;
  bool first_host = false;  ///< writes -o and -e, where no task is named as their writer
  Team team;
  WallTime submitted{};
  Duration run_left{};     ///< of the run limit; 0: none
  Duration leave_grace{};  ///< between SIGTERM and SIGKILL of a process told to leave
  Control control;
  AskedChange change;
  bool operator==(const HostOrder&) const = default;
};

// Facts. Each is repeated until acknowledged.

/// A task runs.
struct FactStarted {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::int32_t pid = 0;
  std::uint32_t port = 0;  ///< first of those this host has leased for the job; 0: none
  bool operator==(const FactStarted&) const = default;
};
/// A task and all that it started are proven gone.
struct FactEnded {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::int32_t status = 0;
  Term term = Term::None;
  Usage usage;
  std::string text;
  WallTime at{};
  std::string report = {};  ///< of a trial, all that it had to say when it ended
  bool delivers = false;    ///< FactDelivered follows
  bool operator==(const FactEnded&) const = default;
};
/// A task does not go away after SIGKILL.
struct FactStuck {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::string why;
  bool operator==(const FactStuck&) const = default;
};
/// The notification command of this notice has ended.
struct FactNotified {
  JobId job;
  Attempt attempt;
  std::uint32_t number = 0;
  bool ok = false;
  std::string text;
  bool operator==(const FactNotified&) const = default;
};
/// The site's prolog or epilog failed here: the host is not fit for jobs.
struct FactScriptFailed {
  JobId job;
  Attempt attempt;
  std::string why;
  bool operator==(const FactScriptFailed&) const = default;
};
/// Somebody has connected to the job's first task at MASTER_PORT.
struct FactMet {
  JobId job;
  Attempt attempt;
  bool operator==(const FactMet&) const = default;
};
/// The job's first host sees that somebody listens where the tasks meet, and that too few may have
/// come. Not durable: said again to each master.
struct FactRendezvous {
  JobId job;
  Attempt attempt;
  Rendezvous meeting;  ///< port 0: nobody waits there any more
  bool operator==(const FactRendezvous&) const = default;
};
/// Output, copies and report of the attempt are written, or will not be.
struct FactDelivered {
  JobId job;
  Attempt attempt;
  std::string text;  ///< what is not written, for people; empty: all is
  bool operator==(const FactDelivered&) const = default;
};
/// After faults of its own the host has run a job of its own as it would run a user's.
struct FactHostWell {
  std::uint32_t faults = 0;  ///< how many there were
  bool operator==(const FactHostWell&) const = default;
};
/// A task uses more of a GPU than its gmem, and the site has such tasks ended.
struct FactGpuOveruse {
  JobId job;
  Attempt attempt;
  GpuOveruse use;
  bool operator==(const FactGpuOveruse&) const = default;
};
/// What a host tells of its own accord. Alternatives are append-only.
using Fact =
    std::variant<FactStarted, FactEnded, FactStuck, AgentReport, FactNotified, FactScriptFailed,
                 FactMet, FactRendezvous, FactDelivered, FactHostWell, FactGpuOveruse>;

/// A fact with the host's own number for it; HostAck names it once it is durable.
/// Number 0: wants no acknowledgement (progress).
struct HostFact {
  std::uint64_t number = 0;
  Fact fact;
  bool operator==(const HostFact&) const = default;
};
struct HostAck {
  std::uint64_t number = 0;
  bool operator==(const HostAck&) const = default;
};
struct HostHeartbeat {
  double load = 0;  ///< 1-minute load average
  Bytes free_mem{0};
  HostLoad more;
  Bytes mem{0};  ///< Capacity::mem as it is by now; 0: not told
  bool operator==(const HostHeartbeat&) const = default;
};
/// bkill -s: one signal to tasks, once; not kept.
struct HostSignal {
  JobId job;
  Attempt attempt;
  std::int32_t signal = 0;
  bool operator==(const HostSignal&) const = default;
};
/// bpeek: output of a task from `offset`. `stream`: 1 stdout, 2 stderr.
struct PeekRequest {
  std::uint64_t id = 0;
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::uint32_t stream = 1;
  std::uint64_t offset = 0;
  std::uint32_t limit = 65536;
  bool operator==(const PeekRequest&) const = default;
};
struct PeekReply {
  std::uint64_t id = 0;
  std::string bytes;
  std::string error;  ///< empty: fine
  bool operator==(const PeekReply&) const = default;
};
/// The attempt is over and forgotten: drop its spool and its leftovers.
struct HostForget {
  JobId job;
  Attempt attempt;
  std::string why;  ///< for people, where it may run for its owner still; empty: it is over
  bool operator==(const HostForget&) const = default;
};
/// What is this attempt, of which the master's state knows nothing?
struct HostRecall {
  JobId job;
  Attempt attempt;
  bool operator==(const HostRecall&) const = default;
};
/// The order that the host follows, without the files; attempt 0: there is no such attempt.
struct HostRecalled {
  JobId job;
  HostOrder order;
  bool operator==(const HostRecalled&) const = default;
};

}  // namespace wm
