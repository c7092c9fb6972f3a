// Role: a job: what was asked (JobSpec, immutable) and how it stands (Job). Values; only
// libwm/fsm changes them, by events. See DESIGN §4 for the states.
//
//   pending ⇄ held
//      │ dispatched                    all tasks gone
//      ▼                      ┌────────────────────────────► finished | failed | killed
//   launching ──started──► running ⇄ unknown (its host is silent)
//      ▲                      │ host lost, rerunnable
//      └──────── pending ◄────┘
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/config/config.h"
#include "libwm/model/elastic.h"
#include "libwm/model/job_note.h"
#include "libwm/model/job_parts.h"
#include "libwm/model/job_standing.h"
#include "libwm/model/pace.h"
#include "libwm/model/reason.h"
#include "libwm/model/tasks.h"
#include "libwm/model/usage.h"

namespace wm {

/// Who asks: an account as the identity service vouches for it.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::string user;
  bool operator==(const Identity&) const = default;
};

/// What one task needs. @units milli_cpus: 1000 = one CPU; milli_gpus: 1000 = one GPU
struct TaskRequest {
  std::uint32_t milli_cpus = 1000;
  Bytes mem{0};
  std::uint32_t milli_gpus = 0;
  bool gpus_per_host = false;  ///< milli_gpus counts per host, not per task
  std::string gpu_model;       ///< empty: any
  bool gpu_shared = false;     ///< others that share may use the GPU at the same time
  Bytes gpu_mem{0};            ///< memory wanted on each GPU; shared: taken from it
  std::string gpu_vendor;      ///< empty: any
  std::string gpu_mig;         ///< slices of this profile, "1g.10gb"; empty: whole GPUs
  bool gpu_linked = false;     ///< the GPUs of a task are joined by NVLink, each with each
  bool gpu_pack = false;       ///< shared: fill a GPU before the next is begun
  std::uint32_t gpu_tile = 0;  ///< GPUs per NUMA node; 0: as it comes
  std::optional<std::uint32_t> mps_uid;  ///< through the MPS daemon of this user
  bool gpu_see_all = false;   ///< each task sees the GPUs of all of the job's tasks on its host
  bool mem_per_host = false;  ///< mem counts per host: one of the job's tasks there holds it
  bool operator==(const TaskRequest&) const = default;
};

/// How tasks may lie on hosts. 0 = free.
struct Span {
  bool one_host = false;    ///< span[hosts=1]
  std::uint32_t ptile = 0;  ///< tasks per host, span[ptile=N]
  std::uint32_t block = 0;  ///< a multiple of so many tasks on every host, span[block=N]
  bool operator==(const Span&) const = default;
};

/// What the user asked for; signed, stored and passed on as one byte string.
struct JobSpec {
  Identity owner;
  std::string name;   ///< default: the command
  std::string queue;  ///< empty: default queue
  std::string app;    ///< empty: the queue's, else "batch"
  std::string plan;   ///< resource plan path; empty: default plan
  std::string project;
  std::string description;
  std::string job_group;      ///< -g: "/risk/day"; empty: none
  std::string reservation;    ///< -U: starts within it only; empty: none
  std::string service_class;  ///< -sla; empty: none
  Program program;
  Files files;
  Console console;
  SideCommands side;
  Timing when;
  // its size
  std::uint32_t min_tasks = 1, max_tasks = 1;
  bool default_tasks = false;            ///< no -n: as many as its profile or queue says
  bool elastic = false;                  ///< -ar
  UsefulSizes sizes = UsefulSizes::Any;  ///< -sizes: between min_tasks and max_tasks
  TaskRequest task;
  Span span;
  Asked asked;
  Duration mem_for{};       ///< task.mem is reserved so long from the start; 0: always
  bool exclusive = false;   ///< -x
  Duration run_limit{};     ///< 0 = the queue's
  Duration run_estimate{};  ///< -We: for dates, never a limit; 0: none
  JobLimits limits;         ///< -c -M -F -D -S -C -v -p -T
  // how it waits, starts and ends
  std::uint32_t user_priority = 0;  ///< -sp: higher goes first within a queue; 0: the least
  Mpi mpi = Mpi::None;
  bool rerunnable = false;     ///< -r
  RequeueExits requeue_exits;  ///< -Q
  MailWish mail;               ///< -B, -N, -u
  Execution exec;
  Checkpoint checkpoint;  ///< -k
  // jobs of many
  std::vector<IndexRange> array;  ///< empty: no array
  std::uint32_t array_limit = 0;  ///< %n; 0 = none
  bool open = false;              ///< array: elements wait for their data, and more may come
  std::vector<TaskGroup> groups;  ///< empty: all its tasks are alike
  std::uint32_t group = 0;        ///< which of a job's groups it is, from 1; 0: a job itself
  bool operator==(const JobSpec&) const = default;
};

/// A specification as it travels: the exact bytes, and the submitter's credential over
/// their hash and the request key. Hosts check it before they act as the user.
struct SealedSpec {
  JobSpec spec;             ///< decoded from `bytes`, with the master's defaults filled in
  std::string bytes;        ///< as the submitter signed them
  std::string credential;   ///< MUNGE
  std::string request_key;  ///< 16 raw bytes chosen by the client
  /// Of -R "{…}||{…}": what `spec` would be with the second, third … requirement. Of a job with
  /// groups: what each group asks for.
  std::vector<JobSpec> alternatives;
  bool operator==(const SealedSpec&) const = default;
};

struct Job;

enum class JobState : std::uint8_t {
  Pending = 0,
  Held = 1,
  Launching = 2,
  Running = 3,
  Unknown = 4,
  Finished = 5,
  Failed = 6,
  Killed = 7,
  Error = 8,
  Array = 9,       ///< the base of a job array: its elements have the states (held: Held)
  Suspended = 10,  ///< its processes are stopped: by bstop (keeps its slots), or Job::parked
};

/// True for finished, failed, killed and error. @cost O(1)
bool is_over(JobState state);
/// "pending", "running" …: our words of DESIGN §4.
std::string_view state_name(JobState state);
/// PEND, PSUSP, RUN, UNKWN, DONE, EXIT. @source LSF bjobs STAT
std::string_view lsf_state(JobState state);
/// The same of a job, SSUSP too.
std::string_view lsf_state(const Job& job);
/// SUBMITTED, PENDING_JOB_SCHEDULER, LAUNCHING … @source WMLA dlicmd states
std::string_view wmla_state(JobState state);

/// The memory that a task of such a request holds on its host. @cost O(1)
inline Bytes mem_held(const TaskRequest& request, const Task& task) {
  return task.mem_elsewhere ? Bytes{0} : request.mem;
}

/// How an elastic job's membership stands, as far as the master has heard.
struct Membership {
  LeadNumber lead;
  HostId lead_host;
  EpochNumber epoch;
  std::vector<TaskNumber> members;       ///< rank order
  std::map<HostId, std::string> agents;  ///< where agents listen
  std::uint32_t resizes = 0;
  bool in_place = false;               ///< a worker said hello
  bool met = false;                    ///< tasks have connected at MASTER_PORT
  std::map<HostId, AgentDoors> doors;  ///< of the same agents
  std::vector<EndedConsole> consoles;  ///< of an interactive job: of the newest 16 attempts
  bool operator==(const Membership&) const = default;
};

/// A wish to end the job.
struct KillWish {
  Term term = Term::Owner;
  std::string by, text;
  WallTime at{};
  bool done = false;  ///< it counts as done all the same
  /// How the job ends by it. @cost O(1)
  JobState end() const { return done ? JobState::Finished : JobState::Killed; }
  bool operator==(const KillWish&) const = default;
};

/// A job as it stands. For an array's base, state is Array and elements live under
/// `elements.first` + position.
struct Job {
  JobId id;
  std::shared_ptr<const SealedSpec> sealed;
  std::uint32_t revision = 0;     ///< of `sealed`: rises with every change of what was asked
  std::uint32_t alternative = 0;  ///< of its requirements: 0 is sealed->spec
  JobState state = JobState::Pending;
  Attempt attempt;               ///< 0 until first dispatched
  Tasks tasks;                   ///< of this attempt; gone ones too, newest 256
  TaskNumber last_task;          ///< highest number given out in this attempt
  std::string key;               ///< 32 raw bytes: agents of this attempt know each other by it
  std::uint64_t generation = 0;  ///< rises with every change of the wanted tasks
  Membership membership;
  Sizing size;
  Times times;
  PendState waits;
  // of a running job
  std::uint32_t port = 0;     ///< first of those leased on its first host; 0: none yet
  bool mem_released = false;  ///< its memory reservation is over
  Pace pace;                  ///< of an elastic job that reports steps
  Suspension suspension;
  std::optional<Parked> parked;  ///< makes way by being stopped
  // its end
  std::optional<KillWish> kill;
  bool finishing = false;  ///< a task has ended well: no resize any more
  bool ending = false;     ///< the attempt is to end: every task is told so
  Outcome outcome;
  Returns returns;
  // what it costs
  Usage usage;                ///< of its tasks that have ended, all attempts
  Holding holding;            ///< of all attempts
  std::uint32_t account = 0;  ///< of Cluster::accounts that its tasks are charged to; 0: none yet
  // arrays
  Elements elements;
  Counted counted;  ///< changed by indexes.h alone
  Trial trial;
  JobNotes notes;  ///< bpost; by index

  /// What was asked, with the alternative that this attempt runs under.
  const JobSpec& spec() const { return spec_of(alternative); }
  /// The same for another of its alternatives. @cost O(1)
  const JobSpec& spec_of(std::uint32_t n) const {
    return n == 0 ? sealed->spec : sealed->alternatives[n - 1];
  }
  bool operator==(const Job&) const;
};

/// What group `number`, from 1, asks for: the job's own wishes with the group's in their place.
/// @cost O(spec)
JobSpec group_spec(const JobSpec& whole, std::uint32_t number);
/// The group that an element of a job with groups is; null: none. @cost O(1)
const TaskGroup* group_of(const Job& job);
/// Does the end of a task leave the job and its other tasks alone? @cost O(1)
bool is_independent(const Job& job);
/// Launched in full: running, or suspended where something keeps its processes stopped.
JobState running_state(const Job& job);
/// Are its processes to be stopped: by bstop, or because it is parked? @cost O(1)
bool is_stopped(const Job& job);
/// Tasks that have not gone; a parked job's hold memory only. @cost O(tasks)
std::uint32_t slots_held(const Job& job);
/// Tasks wanted: hold a slot and are not leaving. @cost O(tasks)
std::uint32_t tasks_wanted(const Job& job);
/// The most tasks it may have now: max_tasks, lowered by bresize and engines_number.
std::uint32_t task_cap(const Job& job);
/// The task that writes to the files of -o and -e, and to bpeek: rank 0, or the task of an elastic
/// job that is about to take its place. 0: no task yet. @cost O(tasks x members)
TaskNumber writer_of(const Job& job);
/// The task, or null. @cost O(log tasks)
const Task* find_task(const Job& job, TaskNumber number);

}  // namespace wm
