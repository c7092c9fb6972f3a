// Role: what has happened: the only thing that changes the state and the only thing the
// store keeps. Events carry decided facts, never intentions, so that replay is exact.
// Numbering: the position in EventBody is the stored type, append-only, never reordered.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/arranged.h"
#include "libwm/model/elastic.h"
#include "libwm/model/host_events.h"
#include "libwm/model/job.h"
#include "libwm/model/master_events.h"
#include "libwm/model/run_events.h"

namespace wm {

// ---- jobs ----
/// A job was accepted. `spec` has the master's defaults filled in.
struct JobSubmitted {
  JobId job;
  std::shared_ptr<const SealedSpec> sealed;
  WallTime at{};  ///< when, of one that a restored state hears of late; 0: as the event says
};
struct JobHeld {
  JobId job;
  std::string by;
};
struct JobReleased {
  JobId job;
  std::string by;
};
/// A pending job was given its tasks; `attempt` is one more than before.
struct JobDispatched {
  JobId job;
  Attempt attempt;
  std::vector<Task> tasks;
  std::string key;                ///< 32 random bytes
  std::uint32_t alternative = 0;  ///< of its requirements
  std::uint32_t port = 0;         ///< chosen by the master to meet at; 0: the first host leases one
  /// Of an attempt that runs and that a restored state hears of late, with its own number: the
  /// newest of its orders. 0: it begins.
  std::uint64_t generation = 0;
};
/// A task's process runs.
struct TaskStarted {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::int32_t pid = 0;
  std::uint32_t port = 0;  ///< leased by its host for the job's rendezvous; 0: none
};
/// A task's processes are proven gone; its slot and GPUs are free.
struct TaskEnded {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::int32_t status = 0;  ///< as from wait(2)
  Term term = Term::None;   ///< why it was ended, if it was
  Usage usage;
  std::string text;
  WallTime at{};          ///< of the end itself, where it was heard late; 0: as the event says
  bool delivers = false;  ///< its host still writes what the job leaves: JobDelivered follows
};
/// What the job leaves is written, or will not be: its end may be told.
struct JobDelivered {
  JobId job;
  Attempt attempt;
  std::string text;  ///< what is not, for people; empty: all is
};
/// How long after its end the event was: of a task that was granted at `since`. @units ms
std::int64_t late_ms(const TaskEnded& ended, WallTime since, WallTime now);
/// A task was killed, yet its processes (or its GPU's memory) are not proven gone.
struct TaskStuck {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::string why;
};
/// An elastic job was given more tasks.
struct TasksAdded {
  JobId job;
  Attempt attempt;
  std::vector<Task> tasks;
  std::string reason;
};
/// Tasks were asked to leave; those still there at `leave_by` are killed.
struct TasksLeaving {
  JobId job;
  Attempt attempt;
  std::vector<TaskNumber> tasks;
  WallTime leave_by{};
  std::string reason;
};
/// The host of these tasks is drained: others take their places, then they leave.
struct TasksMoving {
  JobId job;
  Attempt attempt;
  std::vector<TaskNumber> tasks;
};
/// The kernels that a service's router has by now, all of them.
struct TasksServing {
  JobId job;
  Attempt attempt;
  std::vector<TaskNumber> tasks;
};
/// A task shall be ended by force: it hangs, or did not leave in time.
struct TaskCondemned {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  Term term = Term::None;
  std::string why;
};
/// An agent of the job listens.
struct AgentSeen {
  JobId job;
  Attempt attempt;
  HostId host;
  std::string address;
  AgentDoors doors;
};
/// The lead of an elastic job is on this host from now on.
struct LeadAppointed {
  JobId job;
  Attempt attempt;
  LeadNumber lead;
  HostId host;
};
/// A membership is in force.
struct EpochEntered {
  JobId job;
  Attempt attempt;
  EpochFormed epoch;
};
/// A worker spoke: the job is elastic in place.
struct InPlaceSeen {
  JobId job;
  Attempt attempt;
};
/// Tasks have connected at MASTER_PORT: they were told how many they are, and must be told anew.
struct TasksMet {
  JobId job;
  Attempt attempt;
};
/// The job's own limit on its size. `by_script`: engines_number, else bresize.
struct CapChanged {
  JobId job;
  std::uint32_t cap = 0;
  bool by_script = false;
  std::string by;
  std::string notify_command;  ///< of masters that took it unsigned; empty: as before
  bool none = false;           ///< an independent group: no task until there is another cap
};
/// Somebody wants the job ended. A pending job ends with this event.
struct KillRequested {
  JobId job;
  KillWish wish;
};
/// A pending job will start at the latest at `at`, as far as run limits tell.
struct StartPromised {
  JobId job;
  WallTime at{};                           ///< 0: the promise is withdrawn
  std::vector<PromisedPlace> places = {};  ///< kept for it from then on; empty: an estimate
};
/// A pending job was put before (negative) or behind the others of its queue.
struct JobMoved {
  JobId job;
  std::int32_t place = 0;
  std::string by;
  std::uint32_t turn = 0;  ///< as Job::turn
};
/// A job that has no task asks for something else from now on; that of an array's base is what its
/// waiting elements ask for, too.
struct JobModified {
  JobId job;
  std::shared_ptr<const SealedSpec> sealed;
  std::string by;
  std::string what;  ///< "queue normal -> night": for people
};
/// The attempt makes way: its tasks get SIGTERM now, SIGKILL after preempted.leave_by.
struct JobPreempted {
  JobId job;
  Attempt attempt;
  Preempted preempted;
};
/// rusage[mem=…:duration=…] is over: the memory is free for others.
struct MemoryReleased {
  JobId job;
  Attempt attempt;
};
/// What these pending jobs wait for, for their history. Changes no state.
struct WaitRecorded {
  std::vector<JobId> jobs;
  std::vector<PendReason> reasons;
};
/// A finished job is forgotten here (accounting keeps it).
struct JobPurged {
  JobId job;
};

// ---- queues, configuration ----
/// What a queue is from now on.
enum class QueueStandingChange : std::uint8_t { Open = 0, Close = 1, Activate = 2, Inactivate = 3 };
struct QueueChanged {
  std::string queue;
  QueueStandingChange change{};
  std::string by, why;
};
struct ConfigLoaded {
  std::shared_ptr<const Config> config;
};

// ---- running jobs ----
/// A running job's processes shall be stopped, or go on.
struct JobSuspended {
  JobId job;
  std::string by;
};
struct JobResumed {
  JobId job;
  std::string by;
};
/// The job's notification command has answered: a grow is kept or given back, a shrink done
/// or refused.
struct ResizeAnswered {
  JobId job;
  Attempt attempt;
  std::uint32_t number = 0;
  bool ok = false;
  std::string text;
};

// ---- speed, and making way by stopping ----
/// An elastic job was found to be so fast at its size. Recorded when it says something new.
/// `pause`: without steps, of one that was started again for this size; negative: none measured.
struct StepsMeasured {
  JobId job;
  Attempt attempt;
  StepReport report;
  double noise = -1;
  BatchRange batch;
  Duration pause = Duration(-1);
};
/// A running job's processes are stopped and its slots given to another.
struct JobParked {
  JobId job;
  Attempt attempt;
  Parked parked;
};
/// It has its slots again and goes on.
struct JobUnparked {
  JobId job;
  Attempt attempt;
};

/// A job that was over waits again under its number, as if it had just been submitted.
struct JobRequeued {
  JobId job;
  std::string by;
  bool hold = false;  ///< it waits for bresume
};

/// The next element of an open array has its data, and waits for slots from now on.
struct ElementGiven {
  JobId job;              ///< the element
  std::string data_hash;  ///< BLAKE2b-256 of a blob, raw bytes
};
/// An open array gets no more elements: it is over when those that it has are.
struct ArrayClosed {
  JobId job;
  std::string by;
};
/// A running job says how its training stands.
struct TrialReported {
  JobId job;
  Attempt attempt;
  std::string report;  ///< one JSON object, at most kMaxReport bytes
};
/// Of one TrialReported. @units bytes
inline constexpr std::size_t kMaxReport = 4096;

// ---- the web door ----
/// A token is good no more, or without an id all of the user's that were issued until now.
struct TokensRevoked {
  std::string user, id;
  WallTime until{};  ///< then it can be forgotten: none of them would be good any more
  std::string by, why;
};

/// What has happened. Alternatives are append-only: their index is their number on disk.
using EventBody =
    std::variant<JobSubmitted, JobHeld, JobReleased, JobDispatched, TaskStarted, TaskEnded,
                 TaskStuck, TasksAdded, TasksLeaving, TaskCondemned, AgentSeen, LeadAppointed,
                 EpochEntered, InPlaceSeen, CapChanged, KillRequested, JobPurged, HostRegistered,
                 HostSilent, HostHeard, HostDied, HostClosed, HostOpened, QueueChanged,
                 ConfigLoaded, StartPromised, JobMoved, GpuMarked, JobPreempted, MemoryReleased,
                 WaitRecorded, JobSuspended, JobResumed, ResizeAnswered, HostFenceBegan,
                 HostFenceFailed, StepsMeasured, JobParked, JobUnparked, JobModified, JobRequeued,
                 ElementGiven, ArrayClosed, TrialReported, ReservationSet, ReservationRemoved,
                 JobGroupSet, JobGroupRemoved, JobNoted, JobRelocated, TokensRevoked, TasksMet,
                 TakenOver, ClockStepped, ClockTrusted, JobDelivered, RunDescribed, RunDeleted,
                 TasksMoving, TasksServing, HostMemoryChanged>;

/// An event with its place in the history and the wall time stamped at the rim.
struct Event {
  Seq seq;
  WallTime time{};
  EventBody body;
};

/// "job_submitted": for logs and bhist. @cost O(1)
std::string_view event_name(const EventBody& body);
/// The job an event is about; none for host, queue and configuration events.
JobId job_of(const EventBody& body);

}  // namespace wm
