// Field tables of model/verbs/admin_verbs.h. Tags are append-only.
#include "libwm/model/verbs/admin_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(AdminRequest) {
  f(1, s.request_key), f(2, s.act), f(3, s.names), f(4, s.why), f(20, s.gpus);
  f(570, s.drain);
}
WM_FIELDS(AdminReply) { f(1, s.lines); }
WM_FIELDS(StateRequest) {}
WM_FIELDS(StateReply) { f(1, s.packed); }
WM_FIELDS(PingRequest) { f(1, s.text); }
WM_FIELDS(PingReply) { f(1, s.cluster), f(2, s.master), f(3, s.version); }

}  // namespace wm

WM_CODEC(wm::AdminRequest)
WM_CODEC(wm::AdminReply)
WM_CODEC(wm::StateRequest)
WM_CODEC(wm::StateReply)
WM_CODEC(wm::PingRequest)
WM_CODEC(wm::PingReply)
