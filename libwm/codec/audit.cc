// Field tables of model/verbs/audit.h. Tags are append-only.
#include "libwm/model/verbs/audit.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(AuditEntry) {
  f(1, s.number), f(2, s.at), f(3, s.by), f(4, s.act), f(5, s.objects), f(6, s.why);
  f(7, s.outcome), f(8, s.chain);
}
WM_FIELDS(AuditRequest) { f(1, s.after), f(2, s.objects), f(3, s.acts); }
WM_FIELDS(AuditReply) { f(1, s.entries), f(2, s.checked), f(3, s.broken), f(4, s.more); }

}  // namespace wm

WM_CODEC(wm::AuditRequest)
WM_CODEC(wm::AuditReply)
