// Field tables of model/verbs/verbs.h, acct.h and change_verbs.h. Tags are append-only;
// AcctRequest's 10, AcctReply's 2 and ResizeRequest's 60 are spent.
#include "libwm/model/verbs/verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/token_fields.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/model/verbs/audit.h"
#include "libwm/model/verbs/budget_verbs.h"
#include "libwm/model/verbs/change_verbs.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/model/verbs/pack_verbs.h"
#include "libwm/model/verbs/reservation_verbs.h"
#include "libwm/model/verbs/watch_verbs.h"

namespace wm {

WM_FIELDS(VerbError) { f(1, s.code), f(2, s.text); }
WM_FIELDS(SubmitRequest) {
  f(1, s.request_key), f(2, s.spec), f(3, s.credential), f(4, s.script), f(5, s.env);
}
WM_FIELDS(SubmitReply) { f(1, s.job), f(2, s.queue), f(3, s.default_queue), f(420, s.warnings); }
WM_FIELDS(JobSelection) {
  f(1, s.ids), f(2, s.user), f(3, s.queue), f(4, s.host), f(5, s.name), f(6, s.project),
      f(7, s.app);
  f(8, s.unfinished), f(9, s.finished), f(10, s.pending_only), f(11, s.running_only);
  f(12, s.suspended_only), f(13, s.after), f(500, s.job_group);
  f(520, s.service_class), f(521, s.reservation);
}
WM_FIELDS(KillRequest) {
  f(1, s.request_key), f(2, s.jobs), f(3, s.signal), f(4, s.force), f(5, s.mark_done),
      f(6, s.reason);
}
WM_FIELDS(JobOutcome) { f(1, s.job), f(2, s.code), f(3, s.text); }
WM_FIELDS(OutcomeReply) { f(1, s.jobs), f(2, s.rest); }
WM_FIELDS(ReleaseRequest) { f(1, s.request_key), f(2, s.jobs), f(3, s.hold); }
WM_FIELDS(ResizeRequest) {
  f(1, s.request_key), f(2, s.job), f(3, s.kind), f(4, s.tasks), f(400, s.group);
}
WM_FIELDS(GiveRequest) {
  f(1, s.request_key), f(2, s.job), f(3, s.data), f(4, s.close), f(5, s.tell_from);
}
WM_FIELDS(GiveReply) { f(1, s.first), f(2, s.given), f(3, s.closed), f(4, s.data); }
WM_FIELDS(ResizeReply) { f(1, s.cap); }
WM_FIELDS(JobsRequest) { f(1, s.jobs); }
WM_FIELDS(PriorityTerm) { f(1, s.name), f(2, s.value), f(3, s.text); }
WM_FIELDS(JobView) {
  f(1, s.job), f(2, s.id), f(3, s.app), f(4, s.app_type), f(5, s.plan), f(6, s.resize);
  f(7, s.task_hosts), f(8, s.reasons), f(9, s.progress), f(10, s.result_dir), f(11, s.priority);
  f(12, s.excluded_hosts), f(13, s.run_limit), f(200, s.setback_hosts), f(400, s.exec_id);
  f(600, s.meeting);
}
WM_FIELDS(JobsReply) { f(1, s.jobs), f(2, s.missing), f(3, s.rest); }
WM_FIELDS(JobsReplyBytes) { f(1, s.jobs), f(2, s.missing), f(3, s.rest); }
WM_FIELDS(QueuesRequest) { f(1, s.names); }
WM_FIELDS(QueueView) {
  f(1, s.conf), f(2, s.closed), f(3, s.inactive), f(4, s.why), f(5, s.jobs), f(6, s.pending);
  f(7, s.running), f(8, s.suspended);
}
WM_FIELDS(QueuesReply) { f(1, s.queues); }
WM_FIELDS(HostsRequest) { f(1, s.names), f(2, s.after), f(541, s.with_cpus); }
WM_FIELDS(HostView) {
  f(1, s.host), f(2, s.connected), f(3, s.load), f(4, s.jobs), f(5, s.running), f(6, s.suspended);
  f(7, s.stuck_gpus), f(20, s.gpus);
  f(140, s.parked), f(370, s.more), f(540, s.reserved), f(541, s.cpus);
}
WM_FIELDS(Stranger) { f(1, s.name), f(2, s.address); }
WM_FIELDS(HostsReply) { f(1, s.hosts), f(2, s.rest), f(300, s.strangers); }
WM_FIELDS(PlansRequest) { f(1, s.paths); }
WM_FIELDS(PlanLoan) { f(1, s.from), f(2, s.to), f(3, s.amount); }
WM_FIELDS(PlanView) {
  f(1, s.path), f(2, s.shares), f(3, s.owns), f(4, s.limit), f(5, s.used), f(6, s.demand);
  f(7, s.deserved), f(8, s.lent), f(9, s.borrowed), f(10, s.conf), f(11, s.loans),
      f(12, s.used_lately);
  f(13, s.weight_now), f(14, s.gpus);
}
WM_FIELDS(PlansReply) { f(1, s.plans); }
WM_FIELDS(HistoryEvent) {
  f(1, s.time), f(2, s.event), f(3, s.from), f(4, s.to), f(5, s.reason), f(6, s.pause_ms),
      f(7, s.steps_lost);
}
WM_FIELDS(HistoryJob) {
  f(1, s.id), f(2, s.user), f(3, s.name), f(4, s.queue), f(5, s.project), f(6, s.command),
      f(7, s.app);
  f(8, s.plan), f(9, s.submitted), f(10, s.started), f(11, s.ended), f(12, s.state);
  f(13, s.exit_status), f(14, s.term), f(15, s.events);
}
WM_FIELDS(HistoryReply) { f(1, s.jobs), f(2, s.missing), f(3, s.rest); }
WM_FIELDS(ClientPeek) { f(1, s.job), f(2, s.task), f(3, s.stream), f(4, s.offset); }
WM_FIELDS(ClientPeekReply) { f(1, s.bytes), f(2, s.running); }
WM_FIELDS(AdminRequest) {
  f(1, s.request_key), f(2, s.act), f(3, s.names), f(4, s.why), f(20, s.gpus);
}
WM_FIELDS(AdminReply) { f(1, s.lines); }
WM_FIELDS(WaitRequest) { f(1, s.job), f(2, s.known), f(3, s.attempt); }
WM_FIELDS(WaitReply) {
  f(1, s.state), f(2, s.first_host), f(3, s.exit_status), f(4, s.term), f(5, s.attempt);
}
WM_FIELDS(StateRequest) {}
WM_FIELDS(StateReply) { f(1, s.packed); }
WM_FIELDS(MoveRequest) { f(1, s.request_key), f(2, s.jobs), f(3, s.top), f(541, s.position); }
WM_FIELDS(SwitchRequest) { f(1, s.request_key), f(2, s.jobs), f(3, s.queue); }
WM_FIELDS(RequeueRequest) {
  f(1, s.request_key), f(2, s.jobs);
  f(370, s.active), f(371, s.done), f(372, s.exited), f(373, s.hold);
}
WM_FIELDS(LimitRequest) { f(1, s.request_key), f(2, s.jobs), f(3, s.limit); }
WM_FIELDS(SpecRequest) { f(1, s.job); }
WM_FIELDS(SpecReply) { f(1, s.spec), f(2, s.revision); }
WM_FIELDS(ModifyRequest) {
  f(1, s.request_key), f(2, s.job), f(3, s.revision), f(4, s.spec), f(5, s.credential);
}
WM_FIELDS(AttachRequest) { f(1, s.job), f(2, s.task), f(3, s.attempt); }
WM_FIELDS(AttachReply) { f(1, s.door), f(2, s.host), f(3, s.task), f(4, s.pid); }
WM_FIELDS(AcctRequest) {
  f(1, s.jobs), f(2, s.submitted_from), f(3, s.submitted_to), f(4, s.dispatched_from);
  f(5, s.dispatched_to), f(6, s.ended_from), f(7, s.ended_to), f(8, s.done), f(9, s.exited);
  f(11, s.plan), f(12, s.sums), f(13, s.months);
}
WM_FIELDS(AcctJob) {
  f(1, s.id), f(2, s.user), f(3, s.name), f(4, s.queue), f(5, s.app), f(6, s.plan);
  f(7, s.project), f(8, s.command), f(9, s.cwd), f(10, s.submit_host), f(11, s.exec_hosts);
  f(12, s.state), f(13, s.reason), f(14, s.submitted), f(15, s.dispatched), f(16, s.started);
  f(17, s.ended), f(18, s.exit_status), f(19, s.term), f(20, s.attempt), f(21, s.resizes);
  f(22, s.cpu), f(23, s.slot_time), f(24, s.max_mem), f(25, s.promise_error);
  f(26, s.slots), f(27, s.milli_gpus), f(28, s.gpu_time);
}
WM_FIELDS(AcctSpread) { f(1, s.sum), f(2, s.most), f(3, s.least); }
WM_FIELDS(AcctSum) {
  f(1, s.jobs), f(2, s.done), f(3, s.ran), f(4, s.cpu), f(5, s.wait), f(6, s.around), f(7, s.run);
  f(8, s.hog), f(9, s.expansion), f(10, s.slot_time), f(11, s.gpu_time), f(12, s.first_end);
  f(13, s.last_end), f(14, s.promises[0]), f(15, s.promises[1]), f(16, s.promises[2]);
  f(17, s.promises[3]), f(18, s.promises[4]), f(19, s.promises[5]);
}
WM_FIELDS(AcctSumRow) { f(1, s.user), f(2, s.queue), f(3, s.key), f(4, s.sum); }
WM_FIELDS(AcctReply) { f(1, s.jobs), f(3, s.rest), f(4, s.sums); }
WM_FIELDS(JobChange) {
  f(1, s.seq), f(2, s.id), f(3, s.user), f(4, s.queue), f(5, s.plan), f(6, s.name), f(7, s.state);
  f(8, s.slots), f(9, s.attempt), f(10, s.exit_status), f(11, s.at);
}
WM_FIELDS(WatchFilter) { f(1, s.ids), f(2, s.user), f(3, s.queue); }
WM_FIELDS(WatchRequest) { f(1, s.filter), f(2, s.after), f(3, s.patience); }
WM_FIELDS(WatchReply) { f(1, s.changes), f(2, s.seen), f(3, s.missed); }
WM_FIELDS(AwaitRequest) { f(1, s.condition), f(2, s.patience); }
WM_FIELDS(AwaitReply) { f(1, s.outcome), f(2, s.unmet), f(3, s.condition); }
WM_FIELDS(BudgetsRequest) { f(1, s.spec); }
WM_FIELDS(BudgetView) {
  f(1, s.name), f(2, s.at_end), f(3, s.period), f(4, s.from), f(5, s.to), f(6, s.gpu_bounded);
  f(7, s.cpu_bounded), f(8, s.grant), f(9, s.carried), f(10, s.drawn), f(11, s.refunded);
  f(12, s.reserved), f(13, s.rate), f(14, s.percent), f(15, s.empty_at), f(16, s.cost);
  f(17, s.text), f(18, s.warn), f(19, s.within);
}
WM_FIELDS(BudgetsReply) { f(1, s.budgets); }
WM_FIELDS(PackItem) { f(1, s.spec), f(2, s.script); }
WM_FIELDS(PackRequest) { f(1, s.request_key), f(2, s.credential), f(3, s.env), f(4, s.items); }
WM_FIELDS(PackOutcome) {
  f(1, s.job), f(2, s.code), f(3, s.text), f(4, s.default_queue), f(5, s.warnings);
}
WM_FIELDS(PackReply) { f(1, s.items); }
WM_FIELDS(AuditEntry) {
  f(1, s.number), f(2, s.at), f(3, s.by), f(4, s.act), f(5, s.objects), f(6, s.why);
  f(7, s.outcome), f(8, s.chain);
}
WM_FIELDS(AuditRequest) { f(1, s.after), f(2, s.objects), f(3, s.acts); }
WM_FIELDS(AuditReply) { f(1, s.entries), f(2, s.checked), f(3, s.broken), f(4, s.more); }
WM_FIELDS(ReserveRequest) {
  f(1, s.request_key), f(2, s.act), f(3, s.what), f(4, s.hosts), f(5, s.select), f(6, s.amount);
  f(7, s.whole_hosts);
}
WM_FIELDS(ReserveReply) { f(1, s.name), f(2, s.warnings); }
WM_FIELDS(ReservationsRequest) { f(1, s.names); }
WM_FIELDS(ReservationView) {
  f(1, s.what), f(2, s.hosts), f(3, s.used), f(4, s.active), f(5, s.from), f(6, s.until);
  f(7, s.jobs);
}
WM_FIELDS(ReservationsReply) { f(1, s.reservations), f(2, s.missing); }
WM_FIELDS(GroupRequest) {
  f(1, s.request_key), f(2, s.act), f(3, s.path), f(4, s.with_limit), f(5, s.limit);
}
WM_FIELDS(GroupReply) { f(1, s.path); }
WM_FIELDS(GroupsRequest) {}
WM_FIELDS(GroupsReply) { f(1, s.groups), f(2, s.active); }
WM_FIELDS(PostRequest) { f(1, s.request_key), f(2, s.job), f(3, s.note); }
WM_FIELDS(PostReply) { f(1, s.index); }
WM_FIELDS(NotesRequest) { f(1, s.job); }
WM_FIELDS(NotesReply) { f(1, s.notes); }
WM_FIELDS(RunNowRequest) { f(1, s.request_key), f(2, s.job), f(3, s.hosts); }
WM_FIELDS(RunNowReply) { f(1, s.hosts); }
WM_FIELDS(MigrateRequest) { f(1, s.request_key), f(2, s.jobs), f(3, s.hosts); }
WM_FIELDS(ConfRequest) {}
WM_FIELDS(ConfReply) { f(1, s.config); }
WM_FIELDS(PerfmonRequest) { f(1, s.act), f(2, s.period); }
WM_FIELDS(PerfmonReply) { f(1, s.lines); }
WM_FIELDS(RevokeRequest) {
  f(1, s.request_key), f(2, s.user), f(3, s.id), f(4, s.until), f(5, s.why), f(6, s.log_off);
}
WM_FIELDS(RevokeReply) {}
WM_FIELDS(RevokedRequest) { f(1, s.known), f(2, s.at_once), f(3, s.patience); }
WM_FIELDS(RevokedReply) { f(1, s.revoked); }
WM_FIELDS(DoorAct) { f(1, s.at), f(2, s.act), f(3, s.user), f(4, s.objects), f(5, s.outcome); }
WM_FIELDS(NoteRequest) { f(1, s.request_key), f(2, s.acts); }
WM_FIELDS(NoteReply) {}
WM_FIELDS(PingRequest) { f(1, s.text); }
WM_FIELDS(PingReply) { f(1, s.cluster), f(2, s.master), f(3, s.version); }

}  // namespace wm

WM_CODEC(wm::VerbError)
WM_CODEC(wm::SubmitRequest)
WM_CODEC(wm::SubmitReply)
WM_CODEC(wm::KillRequest)
WM_CODEC(wm::OutcomeReply)
WM_CODEC(wm::ReleaseRequest)
WM_CODEC(wm::ResizeRequest)
WM_CODEC(wm::ResizeReply)
WM_CODEC(wm::GiveRequest)
WM_CODEC(wm::GiveReply)
WM_CODEC(wm::JobsRequest)
WM_CODEC(wm::JobView)
WM_CODEC(wm::JobsReply)
WM_CODEC(wm::JobsReplyBytes)
WM_CODEC(wm::QueuesRequest)
WM_CODEC(wm::QueuesReply)
WM_CODEC(wm::HostsRequest)
WM_CODEC(wm::HostView)
WM_CODEC(wm::BudgetsRequest)
WM_CODEC(wm::BudgetsReply)
WM_CODEC(wm::HostsReply)
WM_CODEC(wm::PlansRequest)
WM_CODEC(wm::PlansReply)
WM_CODEC(wm::HistoryJob)
WM_CODEC(wm::HistoryReply)
WM_CODEC(wm::ClientPeek)
WM_CODEC(wm::ClientPeekReply)
WM_CODEC(wm::AdminRequest)
WM_CODEC(wm::AdminReply)
WM_CODEC(wm::WaitRequest)
WM_CODEC(wm::WaitReply)
WM_CODEC(wm::StateRequest)
WM_CODEC(wm::StateReply)
WM_CODEC(wm::MoveRequest)
WM_CODEC(wm::SwitchRequest)
WM_CODEC(wm::LimitRequest)
WM_CODEC(wm::RequeueRequest)
WM_CODEC(wm::SpecRequest)
WM_CODEC(wm::SpecReply)
WM_CODEC(wm::ModifyRequest)
WM_CODEC(wm::AttachRequest)
WM_CODEC(wm::AttachReply)
WM_CODEC(wm::AcctRequest)
WM_CODEC(wm::AcctJob)
WM_CODEC(wm::AcctReply)
WM_CODEC(wm::WatchRequest)
WM_CODEC(wm::WatchReply)
WM_CODEC(wm::AwaitRequest)
WM_CODEC(wm::AwaitReply)
WM_CODEC(wm::PackRequest)
WM_CODEC(wm::PackReply)
WM_CODEC(wm::AuditRequest)
WM_CODEC(wm::AuditReply)
WM_CODEC(wm::ReserveRequest)
WM_CODEC(wm::ReserveReply)
WM_CODEC(wm::ReservationsRequest)
WM_CODEC(wm::ReservationsReply)
WM_CODEC(wm::GroupRequest)
WM_CODEC(wm::GroupReply)
WM_CODEC(wm::GroupsRequest)
WM_CODEC(wm::GroupsReply)
WM_CODEC(wm::PostRequest)
WM_CODEC(wm::PostReply)
WM_CODEC(wm::NotesRequest)
WM_CODEC(wm::NotesReply)
WM_CODEC(wm::RunNowRequest)
WM_CODEC(wm::RunNowReply)
WM_CODEC(wm::MigrateRequest)
WM_CODEC(wm::ConfRequest)
WM_CODEC(wm::ConfReply)
WM_CODEC(wm::PerfmonRequest)
WM_CODEC(wm::PerfmonReply)
WM_CODEC(wm::RevokeRequest)
WM_CODEC(wm::RevokeReply)
WM_CODEC(wm::RevokedRequest)
WM_CODEC(wm::RevokedReply)
WM_CODEC(wm::NoteRequest)
WM_CODEC(wm::NoteReply)
WM_CODEC(wm::PingRequest)
WM_CODEC(wm::PingReply)
