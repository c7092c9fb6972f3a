// Field tables of model/verbs/host_verbs.h. Tags are append-only.
#include "libwm/model/verbs/host_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(HostsRequest) { f(1, s.names), f(2, s.after), f(541, s.with_cpus); }
WM_FIELDS(HostView) {
  f(1, s.host), f(2, s.connected), f(3, s.load), f(4, s.jobs), f(5, s.running), f(6, s.suspended);
  f(7, s.stuck_gpus), f(20, s.gpus);
  f(140, s.parked), f(370, s.more), f(540, s.reserved), f(541, s.cpus);
  f(570, s.moving);
}
WM_FIELDS(Stranger) { f(1, s.name), f(2, s.address); }
WM_FIELDS(HostsReply) { f(1, s.hosts), f(2, s.rest), f(300, s.strangers); }

}  // namespace wm

WM_CODEC(wm::HostsRequest)
WM_CODEC(wm::HostView)
WM_CODEC(wm::HostsReply)
