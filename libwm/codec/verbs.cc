// Field tables of model/verbs/verbs.h. Tags are append-only.
#include "libwm/model/verbs/verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(VerbError) { f(1, s.code), f(2, s.text); }

}  // namespace wm

WM_CODEC(wm::VerbError)
