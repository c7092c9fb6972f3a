// Field tables of model/verbs/change_verbs.h. Tags are append-only.
#include "libwm/model/verbs/change_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/selection_fields.h"

namespace wm {

WM_FIELDS(GiveRequest) {
  f(1, s.request_key), f(2, s.job), f(3, s.data), f(4, s.close), f(5, s.tell_from);
}
WM_FIELDS(GiveReply) { f(1, s.first), f(2, s.given), f(3, s.closed), f(4, s.data); }
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
  f(560, s.round);
}

}  // namespace wm

WM_CODEC(wm::GiveRequest)
WM_CODEC(wm::GiveReply)
WM_CODEC(wm::MoveRequest)
WM_CODEC(wm::SwitchRequest)
WM_CODEC(wm::LimitRequest)
WM_CODEC(wm::RequeueRequest)
WM_CODEC(wm::SpecRequest)
WM_CODEC(wm::SpecReply)
WM_CODEC(wm::ModifyRequest)
