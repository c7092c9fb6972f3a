// Role: the ways apply reaches into the state; shared by the machines of this folder only.
// Each machine applies the events of its object and no others.
#pragma once

#include "libwm/fsm/fsm.h"

namespace wm::fsm {

/// The job or element to change. An element still in its base's range is made first.
Job& edit_job(Cluster& cluster, JobId id);
/// An element that others make way for is made, if its array still waits; others are there.
void make_waiting(Cluster& cluster, JobId id, Touched& t);
/// Between two attempts, or before the first. @cost O(1)
inline bool waits(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Held;
}
/// The host to change. @cost O(1)
Host& edit_host(Cluster& cluster, HostId id);

/// Takes what a task needs from its host, or gives it back (proven gone).
void take_slot(Cluster& cluster, Job& job, const Task& task);
void free_slot(Cluster& cluster, Job& job, const Task& task);

/// The slots and CPUs of a job that is parked go to others, or come back to it; its memory stays.
void give_slots(Cluster& cluster, Job& job, const Parked& parked);
void take_slots_back(Cluster& cluster, Job& job);

/// Takes the measured pause of a change of size into its mean.
void note_pause(Job& job, const EpochFormed& epoch);

/// What a task draws on its job's budgets; nothing while it is stuck. @units thousandths
/// @cost O(GPUs of its host)
Drawn draw_of(const Cluster& cluster, const Job& job, const Task& task);
/// The job's tasks hold so much more, or less: its budgets draw so from now on (budget_fsm.cc).
/// @cost O(its budgets), nothing without budgets
void draw(Cluster& cluster, Job& job, const Drawn& change);
/// An attempt begins: nothing of it was drawn.
void begin_draw(Job& job);
/// A task is about to give its slot back: what it drew since its true end is credited.
void note_end(Cluster& cluster, Job& job, const Task& task, const TaskEnded& e);
/// The attempt is over: what it drew is credited if the system ended it.
void end_draw(Cluster& cluster, Job& job);
/// The clock is right: accounts of budgets, which have gone on as if it had not been set, go by it.
void end_doubt(Cluster& cluster);
/// Before another configuration: accounts are brought up to now, nobody draws.
void settle_budgets(Cluster& cluster);
/// And after it: every job that holds something draws on what is configured now. @cost O(jobs)
void draw_anew(Cluster& cluster);

/// The account that a job of this specification is charged to, made when there is none yet.
/// @cost O(log accounts), O(accounts) for a new one
std::uint32_t account_of(Cluster& cluster, const JobSpec& spec);
/// Frees the slot of a task: its process is proven gone, or it had none.
void release_slot(Cluster& cluster, Job& job, Task& task, WallTime now);

/// Tasks were added to the job, or some were asked to leave: does what its way of being resized
/// asks for besides (resize_fsm.cc).
void note_resize(const Cluster& cluster, Job& job, bool grow, const std::vector<TaskNumber>& tasks);
/// Every process of the job is started again, with what it is told anew: its size, MASTER_PORT.
void relaunch(const Cluster& cluster, Job& job);

/// A new task ended before an epoch held it: its host is left out for a while, and the job stays at
/// its size when several in a row have (setbacks.cc). `text`: of its end, may be
/// empty
void note_setback(const Cluster& cluster, Job& job, const Task& task, const std::string& text);
/// An epoch of these members was formed: the hosts of those that are new in it are good.
void note_joined(Job& job, const std::vector<TaskNumber>& members);
/// A task of an independent group has ended: the next is started after a pause, longer each time
/// unless it had run well before. `text`: as above
void note_restart(const Cluster& cluster, Job& job, const Task& task, const std::string& text);
/// Every host may be tried at once.
void forget_setbacks(Job& job);
/// The same of one host, for all jobs that are not over. @cost O(jobs with setbacks)
void forget_setbacks_on(Cluster& cluster, HostId host);

/// A host could not start the job's task by its own fault: it is left out for a while, longer each
/// time, and the others stay so (setbacks.cc). `text`: as above
void note_failed_start(const Cluster& cluster, Job& job, const Task& task, const std::string& text);
/// So many hosts could not start it that it is to be held. @cost O(its setbacks)
bool has_failed_everywhere(const Cluster& cluster, const Job& job);
/// What kept it from growing in its last attempt counts no more; hosts are left out as before.
void forget_failed_growth(Job& job);

/// What the end of a task, for `term`, says of its host (host_faults.cc). @cost O(log hosts)
void note_host_end(Cluster& cluster, const Job& job, const Task& task, Term term);
/// Hosts that failed to start the job and are to be closed. @cost O(tasks), O(hosts) where one is
std::vector<EventBody> closings(const Cluster& cluster, const Job& job);

/// What can go on elsewhere than on this host is to (drain_fsm.cc). @cost O(jobs there)
void drain_host(Cluster& cluster, HostId host, Touched& t);
/// It is to no more: what has not left yet stays. @cost O(tasks of jobs there)
void stop_draining(Cluster& cluster, HostId host, Touched& t);
/// The job's tasks on drained hosts that are to move by now. @cost O(tasks), O(1) where none is
std::vector<EventBody> moves_of(const Cluster& cluster, const Job& job);

/// What the job leaves is written, or nobody waits for it any more; `text` says what is not.
void end_delivery(Cluster& cluster, Job& job, const std::string& text, Touched& t);
/// The same of all that this host was writing. @cost O(jobs that are delivering)
void end_deliveries_of(Cluster& cluster, HostId host, const std::string& why, Touched& t);

/// After a task has ended: how the attempt stands now, whether the job is over.
void settle(Cluster& cluster, Job& job, WallTime now);

// One machine a file: each applies the events of its object.
void apply_to(Cluster& c, const JobSubmitted& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobHeld& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobReleased& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobDispatched& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TaskStarted& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TaskEnded& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TaskStuck& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TasksAdded& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TasksLeaving& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TaskCondemned& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const AgentSeen& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const LeadAppointed& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const EpochEntered& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const InPlaceSeen& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TasksMet& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const CapChanged& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const KillRequested& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobPreempted& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const MemoryReleased& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const WaitRecorded& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobPurged& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostRegistered& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostSilent& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostHeard& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostDied& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostClosed& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostOpened& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const QueueChanged& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ConfigLoaded& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const StartPromised& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobMoved& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const GpuMarked& e, WallTime now, Touched& t);

/// A host that registers again: devices keep their places, since tasks hold GPUs by index; one
/// that the driver does not name any more stays where it was, set aside. After a reboot, with
/// nothing held, the host starts anew. @cost O(GPUs squared)
void keep_gpu_places(Host& host, const std::vector<Gpu>& known, bool rebooted, WallTime now);
void apply_to(Cluster& c, const JobSuspended& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobResumed& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ResizeAnswered& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostFenceBegan& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostFenceFailed& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const StepsMeasured& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobParked& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobUnparked& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobModified& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobRequeued& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ElementGiven& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ArrayClosed& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TrialReported& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ReservationSet& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ReservationRemoved& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobGroupSet& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobGroupRemoved& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobNoted& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobRelocated& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TokensRevoked& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TakenOver& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ClockStepped& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const ClockTrusted& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const JobDelivered& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TasksMoving& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const TasksServing& e, WallTime now, Touched& t);
void apply_to(Cluster& c, const HostMemoryChanged& e, WallTime now, Touched& t);
// What is said of a run, and its deletion, are the archive's: no state of a job.
inline void apply_to(Cluster&, const RunDescribed&, WallTime, Touched&) {}
inline void apply_to(Cluster&, const RunDeleted&, WallTime, Touched&) {}

}  // namespace wm::fsm
