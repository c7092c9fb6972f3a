// Field tables of model/verbs/queue_verbs.h. Tags are append-only.
#include "libwm/model/verbs/queue_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(QueuesRequest) { f(1, s.names); }
WM_FIELDS(QueueView) {
  f(1, s.conf), f(2, s.closed), f(3, s.inactive), f(4, s.why), f(5, s.jobs), f(6, s.pending);
  f(7, s.running), f(8, s.suspended), f(530, s.parked);
}
WM_FIELDS(QueuesReply) { f(1, s.queues); }

}  // namespace wm

WM_CODEC(wm::QueuesRequest)
WM_CODEC(wm::QueuesReply)
