// Field tables of model/event.h. Tags and the order of EventBody are append-only.
#include "libwm/model/event.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/run_fields.h"

namespace wm {

WM_FIELDS(JobSubmitted) { f(1, s.job), f(2, s.sealed), f(551, s.at); }
WM_FIELDS(JobHeld) { f(1, s.job), f(2, s.by); }
WM_FIELDS(JobReleased) { f(1, s.job), f(2, s.by); }
WM_FIELDS(JobDispatched) {
  f(1, s.job), f(2, s.attempt), f(3, s.tasks), f(4, s.key), f(60, s.alternative);
  f(430, s.port), f(551, s.generation);
}
WM_FIELDS(TaskStarted) { f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.pid), f(5, s.port); }
WM_FIELDS(TaskEnded) {
  f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.status), f(5, s.term), f(6, s.usage),
      f(7, s.text);
  f(420, s.at), f(550, s.delivers);
}
WM_FIELDS(JobDelivered) { f(1, s.job), f(2, s.attempt), f(3, s.text); }
WM_FIELDS(TaskStuck) { f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.why); }
WM_FIELDS(TasksAdded) { f(1, s.job), f(2, s.attempt), f(3, s.tasks), f(4, s.reason); }
WM_FIELDS(TasksLeaving) {
  f(1, s.job), f(2, s.attempt), f(3, s.tasks), f(4, s.leave_by), f(5, s.reason);
}
WM_FIELDS(TaskCondemned) { f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.term), f(5, s.why); }
WM_FIELDS(AgentSeen) { f(1, s.job), f(2, s.attempt), f(3, s.host), f(4, s.address), f(5, s.doors); }
WM_FIELDS(LeadAppointed) { f(1, s.job), f(2, s.attempt), f(3, s.lead), f(4, s.host); }
WM_FIELDS(EpochEntered) { f(1, s.job), f(2, s.attempt), f(3, s.epoch); }
WM_FIELDS(InPlaceSeen) { f(1, s.job), f(2, s.attempt); }
WM_FIELDS(TasksMet) { f(1, s.job), f(2, s.attempt); }
WM_FIELDS(CapChanged) {
  f(1, s.job), f(2, s.cap), f(3, s.by_script), f(4, s.by), f(60, s.notify_command), f(400, s.none);
}
WM_FIELDS(KillRequested) { f(1, s.job), f(2, s.wish); }
WM_FIELDS(JobPurged) { f(1, s.job); }
WM_FIELDS(HostRegistered) {
  f(1, s.host), f(2, s.name), f(3, s.address), f(4, s.boot), f(5, s.type), f(6, s.model),
      f(7, s.capacity), f(410, s.network);
}
WM_FIELDS(HostSilent) { f(1, s.host); }
WM_FIELDS(HostHeard) { f(1, s.host); }
WM_FIELDS(HostDied) { f(1, s.host), f(2, s.by), f(3, s.why); }
WM_FIELDS(HostClosed) {
  f(1, s.host), f(2, s.by), f(3, s.why), f(550, s.for_faults), f(570, s.drain);
}
WM_FIELDS(HostOpened) { f(1, s.host), f(2, s.by); }
WM_FIELDS(QueueChanged) { f(1, s.queue), f(2, s.change), f(3, s.by), f(4, s.why); }
WM_FIELDS(ConfigLoaded) { f(1, s.config); }
WM_FIELDS(StartPromised) { f(1, s.job), f(2, s.at), f(3, s.places); }
WM_FIELDS(JobMoved) { f(1, s.job), f(2, s.place), f(3, s.by), f(370, s.turn); }
WM_FIELDS(GpuMarked) { f(1, s.host), f(2, s.uuid), f(3, s.mark); }
WM_FIELDS(JobPreempted) { f(1, s.job), f(2, s.attempt), f(3, s.preempted); }
WM_FIELDS(MemoryReleased) { f(1, s.job), f(2, s.attempt); }
WM_FIELDS(WaitRecorded) { f(1, s.jobs), f(2, s.reasons); }
WM_FIELDS(JobSuspended) { f(1, s.job), f(2, s.by); }
WM_FIELDS(JobResumed) { f(1, s.job), f(2, s.by); }
WM_FIELDS(ResizeAnswered) {
  f(1, s.job), f(2, s.attempt), f(3, s.number), f(4, s.ok), f(5, s.text);
}
WM_FIELDS(HostFenceBegan) { f(1, s.host), f(2, s.command); }
WM_FIELDS(HostFenceFailed) { f(1, s.host), f(2, s.why); }
WM_FIELDS(StepsMeasured) {
  f(1, s.job), f(2, s.attempt), f(3, s.report), f(4, s.noise), f(5, s.batch), f(6, s.pause);
}
WM_FIELDS(JobParked) { f(1, s.job), f(2, s.attempt), f(3, s.parked); }
WM_FIELDS(JobUnparked) { f(1, s.job), f(2, s.attempt); }
WM_FIELDS(JobModified) { f(1, s.job), f(2, s.sealed), f(3, s.by), f(4, s.what); }
WM_FIELDS(JobRequeued) { f(1, s.job), f(2, s.by), f(3, s.hold); }
WM_FIELDS(ElementGiven) { f(1, s.job), f(2, s.data_hash); }
WM_FIELDS(ArrayClosed) { f(1, s.job), f(2, s.by); }
WM_FIELDS(TrialReported) { f(1, s.job), f(2, s.attempt), f(3, s.report); }
WM_FIELDS(ReservationSet) { f(1, s.reservation), f(2, s.by); }
WM_FIELDS(ReservationRemoved) { f(1, s.name), f(2, s.by); }
WM_FIELDS(JobGroupSet) { f(1, s.path), f(2, s.group), f(3, s.by); }
WM_FIELDS(JobGroupRemoved) { f(1, s.path), f(2, s.by); }
WM_FIELDS(JobNoted) { f(1, s.job), f(2, s.note); }
WM_FIELDS(JobRelocated) { f(1, s.job), f(2, s.hosts), f(3, s.by); }
WM_FIELDS(TokensRevoked) {
  f(470, s.user), f(471, s.id), f(472, s.until), f(473, s.by), f(474, s.why);
}
WM_FIELDS(TakenOver) { f(1, s.term), f(2, s.last_job), f(3, s.by), f(4, s.why); }
WM_FIELDS(ClockStepped) { f(1, s.by), f(2, s.waits); }
WM_FIELDS(ClockTrusted) { f(1, s.by), f(2, s.why); }
WM_FIELDS(RunDescribed) { f(1, s.run), f(2, s.words), f(3, s.by); }
WM_FIELDS(RunDeleted) { f(1, s.run), f(2, s.by); }
WM_FIELDS(TasksMoving) { f(1, s.job), f(2, s.attempt), f(3, s.tasks); }
WM_FIELDS(HostMemoryChanged) { f(1, s.host), f(2, s.mem); }
WM_FIELDS(TasksServing) { f(1, s.job), f(2, s.attempt), f(3, s.tasks); }

}  // namespace wm

WM_CODEC(wm::EventBody)
