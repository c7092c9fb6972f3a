// Field tables of model/verbs/job_verbs.h. Tags are append-only; ResizeRequest's 60 is
// spent.
#include "libwm/model/verbs/job_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/selection_fields.h"
#include "libwm/codec/view_fields.h"

namespace wm {

WM_FIELDS(SubmitRequest) {
  f(1, s.request_key), f(2, s.spec), f(3, s.credential), f(4, s.script), f(5, s.env);
  f(560, s.round);
}
WM_FIELDS(SubmitReply) {
  f(1, s.job), f(2, s.queue), f(3, s.default_queue), f(420, s.warnings), f(560, s.instead);
}
WM_FIELDS(KillRequest) {
  f(1, s.request_key), f(2, s.jobs), f(3, s.signal), f(4, s.force), f(5, s.mark_done),
      f(6, s.reason);
}
WM_FIELDS(JobOutcome) { f(1, s.job), f(2, s.code), f(3, s.text); }
WM_FIELDS(OutcomeReply) { f(1, s.jobs), f(2, s.rest), f(560, s.instead); }
WM_FIELDS(ReleaseRequest) { f(1, s.request_key), f(2, s.jobs), f(3, s.hold); }
WM_FIELDS(ResizeRequest) {
  f(1, s.request_key), f(2, s.job), f(3, s.kind), f(4, s.tasks), f(400, s.group);
  f(570, s.serving);
}
WM_FIELDS(ResizeReply) { f(1, s.cap); }
WM_FIELDS(JobsRequest) { f(1, s.jobs); }
WM_FIELDS(JobsReply) { f(1, s.jobs), f(2, s.missing), f(3, s.rest); }
WM_FIELDS(JobsReplyBytes) { f(1, s.jobs), f(2, s.missing), f(3, s.rest); }
WM_FIELDS(ClientPeek) { f(1, s.job), f(2, s.task), f(3, s.stream), f(4, s.offset); }
WM_FIELDS(ClientPeekReply) { f(1, s.bytes), f(2, s.running); }
WM_FIELDS(WaitRequest) { f(1, s.job), f(2, s.known), f(3, s.attempt); }
WM_FIELDS(WaitReply) {
  f(1, s.state), f(2, s.first_host), f(3, s.exit_status), f(4, s.term), f(5, s.attempt);
}
WM_FIELDS(AttachRequest) { f(1, s.job), f(2, s.task), f(3, s.attempt); }
WM_FIELDS(AttachReply) { f(1, s.door), f(2, s.host), f(3, s.task), f(4, s.pid); }

}  // namespace wm

WM_CODEC(wm::SubmitRequest)
WM_CODEC(wm::SubmitReply)
WM_CODEC(wm::KillRequest)
WM_CODEC(wm::OutcomeReply)
WM_CODEC(wm::ReleaseRequest)
WM_CODEC(wm::ResizeRequest)
WM_CODEC(wm::ResizeReply)
WM_CODEC(wm::JobsRequest)
WM_CODEC(wm::JobView)
WM_CODEC(wm::JobsReply)
WM_CODEC(wm::JobsReplyBytes)
WM_CODEC(wm::ClientPeek)
WM_CODEC(wm::ClientPeekReply)
WM_CODEC(wm::WaitRequest)
WM_CODEC(wm::WaitReply)
WM_CODEC(wm::AttachRequest)
WM_CODEC(wm::AttachReply)
