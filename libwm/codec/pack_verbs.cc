// Field tables of model/verbs/pack_verbs.h. Tags are append-only.
#include "libwm/model/verbs/pack_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/codec/selection_fields.h"

namespace wm {

WM_FIELDS(PackItem) { f(1, s.spec), f(2, s.script); }
WM_FIELDS(PackRequest) {
  f(1, s.request_key), f(2, s.credential), f(3, s.env), f(4, s.items), f(560, s.round);
}
WM_FIELDS(PackOutcome) {
  f(1, s.job), f(2, s.code), f(3, s.text), f(4, s.default_queue), f(5, s.warnings);
  f(560, s.instead);
}
WM_FIELDS(PackReply) { f(1, s.items); }

}  // namespace wm

WM_CODEC(wm::PackRequest)
WM_CODEC(wm::PackReply)
