// Which event is legal in which state: one table for jobs, the rest by hand.
#include <algorithm>
#include <map>
#include <set>

#include "libwm/fsm/fsm.h"
#include "libwm/model/gpu_use.h"
#include "libwm/model/master_rank.h"

namespace wm::fsm {
namespace {

using S = JobState;

constexpr std::uint32_t bit(S s) { return 1u << static_cast<unsigned>(s); }
constexpr std::uint32_t kWaiting = bit(S::Pending) | bit(S::Held);
constexpr std::uint32_t kActive =
    bit(S::Launching) | bit(S::Running) | bit(S::Suspended) | bit(S::Unknown);
constexpr std::uint32_t kOver = bit(S::Finished) | bit(S::Failed) | bit(S::Killed) | bit(S::Error);

// States in which an event about a job may happen.
template <class E>
constexpr std::uint32_t kLegal = kActive;
template <>
constexpr std::uint32_t kLegal<JobHeld> = bit(S::Pending) | bit(S::Array);
template <>
constexpr std::uint32_t kLegal<JobReleased> = bit(S::Held);
template <>
constexpr std::uint32_t kLegal<JobDispatched> = bit(S::Pending);
template <>
constexpr std::uint32_t kLegal<TaskEnded> = kActive | kOver | kWaiting;
template <>
constexpr std::uint32_t kLegal<CapChanged> = kActive | kWaiting;
template <>
constexpr std::uint32_t kLegal<JobParked> = bit(S::Running);
template <>
constexpr std::uint32_t kLegal<StartPromised> = bit(S::Pending) | bit(S::Array);
template <>
constexpr std::uint32_t kLegal<JobMoved> = kWaiting | bit(S::Array);
template <>
constexpr std::uint32_t kLegal<JobModified> = kWaiting | kActive | bit(S::Array);
template <>
constexpr std::uint32_t kLegal<KillRequested> = kActive | kWaiting | bit(S::Array);
template <>
constexpr std::uint32_t kLegal<JobPurged> = kOver | bit(S::Array) | bit(S::Held);

template <>
constexpr std::uint32_t kLegal<ElementGiven> = kWaiting;
// Its last words may come after its end.
template <>
constexpr std::uint32_t kLegal<TrialReported> = kActive | kOver;
template <>
constexpr std::uint32_t kLegal<ArrayClosed> = bit(S::Array) | bit(S::Held);

// A message may be left at any job that is known.
template <>
constexpr std::uint32_t kLegal<JobNoted> = kActive | kWaiting | kOver | bit(S::Array);
template <>
constexpr std::uint32_t kLegal<JobRelocated> = kActive | kWaiting;

template <>
constexpr std::uint32_t kLegal<JobRequeued> = kOver | bit(S::Array) | bit(S::Held);

Error refuse(JobId id, S state) {
  if (is_over(state))
    return fail(Code::Conflict, "Job <" + to_string(id) + ">: Job has already finished");
  if (state == S::Pending || state == S::Held)
    return fail(Code::Conflict, "Job <" + to_string(id) + ">: Job has not started yet");
  return fail(Code::Conflict, "Job <" + to_string(id) + ">: Job has already started");
}

// An element that is still part of its base's range counts as its base does.
Result<const Job*> job_for(const Cluster& cluster, JobId id) {
  const Job* base = cluster.jobs.find(id.job);
  if (!base || (id.index && !element_position(base->spec(), id.index)))
    return fail(Code::NotFound, "Job <" + to_string(id) + "> is not found");
  const Job* job = find_job(cluster, id);
  return job ? job : base;
}

template <class E>
Result<void> check_attempt(const Cluster& cluster, const Job& job, const E& e) {
  if constexpr (requires { e.attempt; }) {
    bool next = std::is_same_v<E, JobDispatched>;
    auto wanted = next ? next_attempt(cluster.term, job.attempt) : job.attempt;
    if constexpr (requires { e.generation; }) {
      bool adopted = e.generation != 0 && !job.attempt && e.attempt;
      if (adopted && e.attempt < wanted) wanted = e.attempt;
    }
    if (e.attempt != wanted)
      return fail(Code::Stale, "Job <" + to_string(job.id) + ">: attempt " +
                                   std::to_string(e.attempt.value) + " is not its newest, " +
                                   std::to_string(job.attempt.value));
  }
  return {};
}

template <class E>
Result<void> check_task(const Job& job, const E& e) {
  if constexpr (requires { e.task; }) {
    const Task* task = find_task(job, e.task);
    if (!task || task->state == TaskState::Gone)
      return fail(Code::Stale, "Job <" + to_string(job.id) + ">: task " +
                                   std::to_string(e.task.value) + " has ended");
    bool known = task->pid != 0;
    if constexpr (std::is_same_v<E, TaskStarted>) known = known && (e.port == 0 || job.port != 0);
    if (std::is_same_v<E, TaskStarted> && known) return fail(Code::Stale, "task has started");
    if (std::is_same_v<E, TaskCondemned> && task->kill)
      return fail(Code::Stale, "task is condemned");
    if (std::is_same_v<E, TaskStuck> && task->state == TaskState::Stuck)
      return fail(Code::Stale, "task is stuck");
  }
  return {};
}

Result<void> check_more(const Cluster&, const Job& job, const EpochEntered& e) {
  if (e.epoch.epoch < job.membership.epoch) return fail(Code::Stale, "an older epoch");
  return {};
}
Result<void> check_more(const Cluster&, const Job& job, const LeadAppointed& e) {
  if (e.lead <= job.membership.lead) return fail(Code::Stale, "an older lead");
  return {};
}
Result<void> check_more(const Cluster&, const Job& job, const InPlaceSeen&) {
  if (job.membership.in_place) return fail(Code::Stale, "known");
  return {};
}
Result<void> check_more(const Cluster&, const Job& job, const TasksMet&) {
  if (job.membership.met) return fail(Code::Stale, "known");
  return {};
}
Result<void> check_more(const Cluster&, const Job& job, const TasksMoving& e) {
  bool any = std::any_of(e.tasks.begin(), e.tasks.end(), [&](TaskNumber number) {
    const Task* task = find_task(job, number);
    return task && task->holds_slot() && !task->moves;
  });
  return any ? Result<void>{} : fail(Code::Stale, "known");
}
Result<void> check_more(const Cluster&, const Job& job, const TasksServing& e) {
  bool known = std::all_of(job.tasks.begin(), job.tasks.end(), [&](const Task& task) {
    bool serves = std::find(e.tasks.begin(), e.tasks.end(), task.number) != e.tasks.end();
    return task.serves == serves;
  });
  return known ? fail(Code::Stale, "known") : Result<void>{};
}
Result<void> check_more(const Cluster&, const Job& job, const AgentSeen& e) {
  auto it = job.membership.agents.find(e.host);
  auto doors = job.membership.doors.find(e.host);
  bool same_doors =
      doors == job.membership.doors.end() ? e.doors == AgentDoors{} : doors->second == e.doors;
  if (it != job.membership.agents.end() && it->second == e.address && same_doors)
    return fail(Code::Stale, "known");
  return {};
}
Result<void> check_more(const Cluster&, const Job& job, const KillRequested& e) {
  bool known = job.kill && job.kill->term == e.wish.term && job.kill->done == e.wish.done;
  if (known) return fail(Code::Stale, "being terminated");
  return {};
}

// Thousandths of GPUs that a placement has taken so far.
using GpusTaken = std::map<std::pair<HostId, std::uint16_t>, std::uint32_t>;

Result<void> check_gpu(const Host& host, std::uint16_t gpu, const TaskRequest& request,
                       GpusTaken& taken) {
  auto name = "GPU " + std::to_string(gpu) + " of " + host.name;
  if (gpu >= host.gpu_owners.size() || host.gpu_owners[gpu].job)
    return fail(Code::Conflict, name + " is not free");
  const GpuMark* mark = gpu_mark(host, gpu);
  if (mark && mark->aside()) return fail(Code::Conflict, name + " is set aside");
  auto& milli = taken.try_emplace({host.id, gpu}, milli_shared(host, gpu)).first->second;
  milli += share_of(host, gpu, request, {}).milli;
  if (milli > 1000) return fail(Code::Conflict, name + " has not enough left");
  return {};
}

// What runs was started as it asked; not settled yet are only how long it may go on and what tells
// it of another size.
bool is_as_it_runs(const JobSpec& now, JobSpec then) {
  then.run_limit = now.run_limit;
  then.side.notify = now.side.notify;
  return then == now;
}

// An array's elements have their numbers for good, and a job its owner.
Result<void> check_more(const Cluster&, const Job& job, const JobModified& e) {
  if (job.kill) return refuse(e.job, S::Killed);
  const JobSpec &now = job.sealed->spec, &then = e.sealed->spec;
  if ((kActive & bit(job.state)) && !is_as_it_runs(now, then)) return refuse(e.job, job.state);
  if (now.owner.uid == then.owner.uid && now.array == then.array) return {};
  return fail(Code::Conflict,
              "Job <" + to_string(e.job) + ">: neither owner nor elements can be changed");
}

Result<void> check_more(const Cluster&, const Job& job, const JobPreempted&) {
  if (job.waits.preempted) return fail(Code::Stale, "it makes way already");
  if (job.kill || job.ending) return fail(Code::Conflict, "it is ending");
  return {};
}
Result<void> check_more(const Cluster&, const Job& job, const MemoryReleased&) {
  if (job.mem_released) return fail(Code::Stale, "its memory is released");
  return {};
}
Result<void> check_more(const Cluster&, const Job& job, const JobSuspended&) {
  if (job.suspension.by.empty()) return {};
  return fail(Code::Conflict, "Job <" + to_string(job.id) + ">: Job has already been suspended");
}
Result<void> check_more(const Cluster&, const Job& job, const JobResumed&) {
  if (!job.suspension.by.empty()) return {};
  if (job.parked)
    return fail(Code::Conflict, "Job <" + to_string(job.id) +
                                    ">: goes on when the slots are free " +
                                    "that it gave to job <" + to_string(job.parked->by) + ">");
  return fail(Code::Conflict, "Job <" + to_string(job.id) + ">: Job has not been suspended");
}
Result<void> check_more(const Cluster&, const Job& job, const JobParked&) {
  if (job.kill || job.ending || job.waits.preempted) return fail(Code::Conflict, "it is ending");
  if (job.spec().task.milli_gpus == 0) return {};
  return fail(Code::Conflict, "a stopped job keeps its GPUs");
}
Result<void> check_more(const Cluster&, const Job&, const StepsMeasured& e) {
  bool good = e.report.tasks > 0 && e.report.hosts > 0 && e.report.local_batch > 0 &&
              e.report.step > Duration{};
  return good ? Result<void>{} : fail(Code::BadArgument, "no step");
}
Result<void> check_more(const Cluster&, const Job& job, const ResizeAnswered& e) {
  if (!job.size.notice || job.size.notice->number != e.number)
    return fail(Code::Stale, "answered before");
  return {};
}
// Its streams ended with the command that wrote them, and the copy of its input with the job. An
// element that was ended in its base's range is over, too.
Result<void> check_more(const Cluster&, const Job& job, const JobRequeued& e) {
  bool over = is_array(job) ? e.job.index > 0 && job.kill : is_over(job.state);
  if (!over) return fail(Code::Conflict, "Job <" + to_string(e.job) + ">: Job has not finished");
  auto name = "Job <" + to_string(e.job) + ">: ";
  if (slots_held(job) > 0)
    return fail(Code::Conflict, name + "what is left of it holds a slot still");
  if (job.spec().console.streams != Streams::Files)
    return fail(Code::Conflict, name + "An interactive job cannot be requeued");
  if (job.spec().files.in_spooled)
    return fail(Code::Conflict, name + "its copy of the input (-is) was removed at its end");
  return {};
}
// The next one, of an array that takes more; `job` is its base unless it has been given before.
Result<void> check_more(const Cluster&, const Job& job, const ElementGiven& e) {
  auto name = "Job <" + to_string(e.job) + ">: ";
  if (job.id == e.job) return fail(Code::Stale, name + "has its data");
  if (!job.spec().open) return fail(Code::Conflict, name + "is no element of an open array");
  if (job.elements.closed) return fail(Code::Conflict, name + "its array is closed");
  auto next = element_index(job.spec(), job.elements.next_position);
  if (e.job.index == next) return {};
  return fail(Code::Conflict, name + "element " + std::to_string(next) + " is to be given first");
}
Result<void> check_more(const Cluster&, const Job& job, const ArrayClosed& e) {
  if (!is_array(job) || !job.spec().open)
    return fail(Code::Conflict, "Job <" + to_string(e.job) + ">: is no open array");
  return job.elements.closed ? fail(Code::Stale, "closed before") : Result<void>{};
}
Result<void> check_more(const Cluster&, const Job& job, const TrialReported& e) {
  if (e.report.size() > kMaxReport)
    return fail(Code::Limit, "Job <" + to_string(job.id) + ">: a report of " +
                                 std::to_string(e.report.size()) + " bytes; at most " +
                                 std::to_string(kMaxReport));
  return e.report == job.trial.report ? fail(Code::Stale, "reported before") : Result<void>{};
}
// Room for so many tasks of that kind, which take the memory that is asked so many times; GPUs
// apart.
Result<void> check_room(const Host& host, std::uint32_t tasks, std::uint32_t memories,
                        const TaskRequest& request) {
  auto lacks = [&](const char* what) {
    return fail(Code::Conflict, "host " + host.name + " has no room for " + std::to_string(tasks) +
                                    " more task(s): not enough " + what);
  };
  const Capacity& has = host.capacity;
  if (host.used_slots + tasks > has.slots) return lacks("slots");
  auto cpus = std::uint64_t{tasks} * request.milli_cpus;
  if (host.used_milli_cpus + cpus > milli_cpus_to_give(has)) return lacks("CPUs");
  auto mem = std::int64_t{memories} * request.mem.value;
  bool fits = mem == 0 || host.used_mem.value + mem <= has.mem.value;
  return fits ? Result<void>{} : lacks("memory");
}

std::set<HostId> hosts_held_by(const Job& job) {
  std::set<HostId> hosts;
  for (const auto& task : job.tasks)
    if (task.holds_slot()) hosts.insert(task.host);
  return hosts;
}

// `mem` is false where the tasks hold theirs already; of memory per host one of them holds all.
template <class TaskList>
Result<void> check_rooms(const Cluster& cluster, const Job& job, const TaskList& tasks,
                         const TaskRequest& request, bool mem) {
  std::map<HostId, std::uint32_t> counts;
  for (const auto& task : tasks)
    if (task.holds_slot()) ++counts[task.host];
  auto paid = hosts_held_by(job);
  for (auto [id, count] : counts) {
    std::uint32_t per_host = paid.count(id) ? 0 : 1;
    std::uint32_t memories = !mem ? 0 : request.mem_per_host ? per_host : count;
    WM_TRY(check_room(*cluster.hosts.find(id.value), count, memories, request));
  }
  return {};
}

// Everything a placement names must exist and be free for what is asked there.
Result<void> check_places(const Cluster& cluster, const Job& job, const std::vector<Task>& tasks,
                          const TaskRequest& request, bool mem) {
  GpusTaken taken;
  for (const auto& task : tasks) {
    const Host* host = cluster.hosts.find(task.host.value);
    if (!host) return fail(Code::NotFound, "no host " + std::to_string(task.host.value));
    const auto& excluded = job.waits.excluded_hosts;
    if (std::binary_search(excluded.begin(), excluded.end(), task.host))
      return fail(Code::Conflict, "host " + host->name + " is excluded for the job");
    for (auto gpu : task.gpus) WM_TRY(check_gpu(*host, gpu, request, taken));
  }
  return check_rooms(cluster, job, tasks, request, mem);
}
Result<void> check_more(const Cluster&, const Job& job, const JobNoted& e) {
  std::size_t bytes = e.note.data.size();
  for (const JobNote& note : job.notes)
    if (note.index != e.note.index) bytes += note.data.size();
  auto name = "Job <" + to_string(e.job) + ">: ";
  if (e.note.index >= kMostNotes)
    return fail(Code::Limit, name + "message index " + std::to_string(e.note.index) +
                                 " is beyond " + std::to_string(kMostNotes - 1));
  if (e.note.text.size() > kMostNoteText)
    return fail(Code::Limit, name + "a message has at most " + std::to_string(kMostNoteText) +
                                 " bytes, this one " + std::to_string(e.note.text.size()));
  if (bytes <= kMostNoteData) return {};
  return fail(Code::Limit, name + "its messages have at most " + std::to_string(kMostNoteData) +
                               " bytes attached, these " + std::to_string(bytes));
}
Result<void> check_more(const Cluster& cluster, const Job& job, const JobDispatched& e) {
  if (e.alternative > job.sealed->alternatives.size())
    return fail(Code::NotFound, "no alternative " + std::to_string(e.alternative));
  const JobSpec& spec = group_of(job) ? job.spec() : job.spec_of(e.alternative);
  return check_places(cluster, job, e.tasks, spec.task, true);
}
Result<void> check_more(const Cluster& cluster, const Job& job, const TasksAdded& e) {
  if (!is_resizable(cluster, job)) return fail(Code::Conflict, "not resizable now");
  return check_places(cluster, job, e.tasks, job.spec().task, !job.mem_released);
}
// It kept its memory; its slots were given to another.
Result<void> check_more(const Cluster& cluster, const Job& job, const JobUnparked&) {
  if (!job.parked) return fail(Code::Stale, "it is not parked");
  return check_rooms(cluster, job, job.tasks, job.spec().task, false);
}
template <class E>
Result<void> check_more(const Cluster&, const Job&, const E&) {
  return {};
}

Result<void> check_one(const Cluster& cluster, const ReservationRemoved& e) {
  if (find_reservation(cluster, e.name)) return {};
  return fail(Code::NotFound, e.name + ": No such reservation");
}
Result<void> check_one(const Cluster& cluster, const JobGroupRemoved& e) {
  if (cluster.job_groups->count(e.path)) return {};
  return fail(Code::NotFound, e.path + ": Job group does not exist");
}

template <class E>
Result<void> check_one(const Cluster& cluster, const E& e) {
  if constexpr (requires { e.job; }) {
    WM_TRY(const Job* job, job_for(cluster, e.job));
    // an unmade element behaves as pending; its array's base as Array
    auto state = job->id == e.job         ? job->state
                 : job->kill              ? S::Killed
                 : job->state == S::Array ? S::Pending
                                          : job->state;
    if (!(kLegal<E> & bit(state))) return refuse(e.job, state);
    WM_TRY(check_attempt(cluster, *job, e));
    WM_TRY(check_task(*job, e));
    return check_more(cluster, *job, e);
  } else if constexpr (requires { e.host; }) {
    if (!std::is_same_v<E, HostRegistered> && !cluster.hosts.find(e.host.value))
      return fail(Code::NotFound, "no host " + std::to_string(e.host.value));
    return {};
  } else {
    return {};
  }
}

Result<void> check_one(const Cluster& cluster, const JobSubmitted& e) {
  if (cluster.jobs.find(e.job.job) || e.job.index)
    return fail(Code::Conflict, "Job <" + to_string(e.job) + "> exists");
  // The number after the last there is.
  if (e.job.job == 0)
    return fail(Code::Conflict, "no job number is left: job " + std::to_string(cluster.last_job) +
                                    " was the last that a cluster can have");
  return {};
}

Result<void> check_one(const Cluster& cluster, const HostSilent& e) {
  const Host* host = cluster.hosts.find(e.host.value);
  if (!host) return fail(Code::NotFound, "no such host");
  if (host->state != HostState::Ok)
    return fail(Code::Stale, "host " + host->name + " is not heard");
  return {};
}

Result<void> check_one(const Cluster& cluster, const HostHeard& e) {
  const Host* host = cluster.hosts.find(e.host.value);
  if (!host) return fail(Code::NotFound, "no such host");
  if (host->state == HostState::Ok) return fail(Code::Stale, "host " + host->name + " is heard");
  if (host->state == HostState::Dead)
    return fail(Code::Conflict, "host " + host->name + " was declared dead: it has to register");
  return {};
}

Result<void> check_one(const Cluster& cluster, const GpuMarked& e) {
  const Host* host = cluster.hosts.find(e.host.value);
  if (!host) return fail(Code::NotFound, "no such host");
  auto known = host->gpu_marks.find(e.uuid);
  if ((known == host->gpu_marks.end() ? GpuMark{} : known->second) == e.mark)
    return fail(Code::Stale, "known of GPU " + e.uuid);
  return {};
}

Result<void> check_silent(const Cluster& cluster, HostId id) {
  const Host* host = cluster.hosts.find(id.value);
  if (!host) return fail(Code::NotFound, "no such host");
  if (host->state != HostState::Silent)
    return fail(Code::Conflict, "host " + host->name + " is not silent");
  return {};
}

Result<void> check_one(const Cluster& cluster, const HostDied& e) {
  return check_silent(cluster, e.host);
}
Result<void> check_one(const Cluster& cluster, const HostFenceBegan& e) {
  return check_silent(cluster, e.host);
}
Result<void> check_one(const Cluster& cluster, const HostFenceFailed& e) {
  return check_silent(cluster, e.host);
}

Result<void> check_one(const Cluster& cluster, const QueueChanged& e) {
  if (!cluster.config->queue(e.queue)) return fail(Code::NotFound, e.queue + ": No such queue");
  return {};
}

Result<void> check_one(const Cluster& cluster, const TokensRevoked& e) {
  if (e.id.empty() && e.user.empty()) return fail(Code::BadArgument, "neither a token nor a user");
  if (e.id.empty() || !cluster.revoked->ids.contains(e.id)) return {};
  return fail(Code::Stale, "token " + e.id + " is revoked");
}

Result<void> check_one(const Cluster& cluster, const TakenOver& e) {
  if (e.term > cluster.term) return {};
  return fail(Code::Stale,
              "term " + std::to_string(e.term) + " is not above " + std::to_string(cluster.term));
}

Result<void> check_one(const Cluster&, const ClockStepped& e) {
  if (e.by != Duration{}) return {};
  return fail(Code::Stale, "the clock was set by nothing");
}

Result<void> check_one(const Cluster&, const ClockTrusted&) { return {}; }

}  // namespace

Result<void> check(const Cluster& cluster, const EventBody& body) {
  return std::visit([&](const auto& e) { return check_one(cluster, e); }, body);
}

}  // namespace wm::fsm
