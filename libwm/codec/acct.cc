// Field tables of model/verbs/acct.h. Tags are append-only; AcctRequest's 10 and
// AcctReply's 2 are spent.
#include "libwm/model/verbs/acct.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/selection_fields.h"

namespace wm {

WM_FIELDS(HistoryEvent) {
  f(1, s.time), f(2, s.event), f(3, s.from), f(4, s.to), f(5, s.reason), f(6, s.pause_ms),
      f(7, s.steps_lost);
}
WM_FIELDS(HistoryJob) {
  f(1, s.id), f(2, s.user), f(3, s.name), f(4, s.queue), f(5, s.project), f(6, s.command),
      f(7, s.app);
  f(8, s.plan), f(9, s.submitted), f(10, s.started), f(11, s.ended), f(12, s.state);
  f(13, s.exit_status), f(14, s.term), f(15, s.events), f(530, s.submit_host), f(531, s.cwd);
  f(532, s.term_number), f(533, s.cpu), f(534, s.max_mem), f(535, s.mean_mem);
}
WM_FIELDS(HistoryReply) { f(1, s.jobs), f(2, s.missing), f(3, s.rest); }
WM_FIELDS(AcctRequest) {
  f(1, s.jobs), f(2, s.submitted_from), f(3, s.submitted_to), f(4, s.dispatched_from);
  f(5, s.dispatched_to), f(6, s.ended_from), f(7, s.ended_to), f(8, s.done), f(9, s.exited);
  f(11, s.plan), f(12, s.sums), f(13, s.months);
}
WM_FIELDS(HistoryRequest) { fields(f, static_cast<AcctRequest&>(s)); }
WM_FIELDS(AcctJob) {
  f(1, s.id), f(2, s.user), f(3, s.name), f(4, s.queue), f(5, s.app), f(6, s.plan);
  f(7, s.project), f(8, s.command), f(9, s.cwd), f(10, s.submit_host), f(11, s.exec_hosts);
  f(12, s.state), f(13, s.reason), f(14, s.submitted), f(15, s.dispatched), f(16, s.started);
  f(17, s.ended), f(18, s.exit_status), f(19, s.term), f(20, s.attempt), f(21, s.resizes);
  f(22, s.cpu), f(23, s.slot_time), f(24, s.max_mem), f(25, s.promise_error);
  f(26, s.slots), f(27, s.milli_gpus), f(28, s.gpu_time), f(570, s.gpu_energy_mj);
}
WM_FIELDS(AcctSpread) { f(1, s.sum), f(2, s.most), f(3, s.least); }
WM_FIELDS(AcctSum) {
  f(1, s.jobs), f(2, s.done), f(3, s.ran), f(4, s.cpu), f(5, s.wait), f(6, s.around), f(7, s.run);
  f(8, s.hog), f(9, s.expansion), f(10, s.slot_time), f(11, s.gpu_time), f(12, s.first_end);
  f(13, s.last_end), f(14, s.promises[0]), f(15, s.promises[1]), f(16, s.promises[2]);
  f(17, s.promises[3]), f(18, s.promises[4]), f(19, s.promises[5]), f(570, s.gpu_energy_mj);
}
WM_FIELDS(AcctSumRow) { f(1, s.user), f(2, s.queue), f(3, s.key), f(4, s.sum); }
WM_FIELDS(AcctReply) { f(1, s.jobs), f(3, s.rest), f(4, s.sums); }

}  // namespace wm

WM_CODEC(wm::HistoryJob)
WM_CODEC(wm::HistoryReply)
WM_CODEC(wm::AcctRequest)
WM_CODEC(wm::HistoryRequest)
WM_CODEC(wm::AcctJob)
WM_CODEC(wm::AcctReply)
