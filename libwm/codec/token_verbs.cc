// Field tables of model/verbs/token_verbs.h. Tags are append-only.
#include "libwm/model/verbs/token_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/token_fields.h"

namespace wm {

WM_FIELDS(RevokeRequest) {
  f(1, s.request_key), f(2, s.user), f(3, s.id), f(4, s.until), f(5, s.why), f(6, s.log_off);
}
WM_FIELDS(RevokeReply) {}
WM_FIELDS(RevokedRequest) { f(1, s.known), f(2, s.at_once), f(3, s.patience); }
WM_FIELDS(RevokedReply) { f(1, s.revoked); }
WM_FIELDS(DoorAct) { f(1, s.at), f(2, s.act), f(3, s.user), f(4, s.objects), f(5, s.outcome); }
WM_FIELDS(NoteRequest) { f(1, s.request_key), f(2, s.acts); }
WM_FIELDS(NoteReply) {}

}  // namespace wm

WM_CODEC(wm::RevokeRequest)
WM_CODEC(wm::RevokeReply)
WM_CODEC(wm::RevokedRequest)
WM_CODEC(wm::RevokedReply)
WM_CODEC(wm::NoteRequest)
WM_CODEC(wm::NoteReply)
