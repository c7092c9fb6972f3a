// Field tables of model/verbs/watch_verbs.h. Tags are append-only.
#include "libwm/model/verbs/watch_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(JobChange) {
  f(1, s.seq), f(2, s.id), f(3, s.user), f(4, s.queue), f(5, s.plan), f(6, s.name), f(7, s.state);
  f(8, s.slots), f(9, s.attempt), f(10, s.exit_status), f(11, s.at);
}
WM_FIELDS(WatchFilter) { f(1, s.ids), f(2, s.user), f(3, s.queue); }
WM_FIELDS(WatchRequest) { f(1, s.filter), f(2, s.after), f(3, s.patience); }
WM_FIELDS(WatchReply) { f(1, s.changes), f(2, s.seen), f(3, s.missed); }
WM_FIELDS(AwaitRequest) { f(1, s.condition), f(2, s.patience); }
WM_FIELDS(AwaitReply) { f(1, s.outcome), f(2, s.unmet), f(3, s.condition); }

}  // namespace wm

WM_CODEC(wm::WatchRequest)
WM_CODEC(wm::WatchReply)
WM_CODEC(wm::AwaitRequest)
WM_CODEC(wm::AwaitReply)
