// Field tables of model/verbs/reservation_verbs.h. Tags are append-only.
#include "libwm/model/verbs/reservation_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(ReserveRequest) {
  f(1, s.request_key), f(2, s.act), f(3, s.what), f(4, s.hosts), f(5, s.select), f(6, s.amount);
  f(7, s.whole_hosts);
}
WM_FIELDS(ReserveReply) { f(1, s.name), f(2, s.warnings); }
WM_FIELDS(ReservationsRequest) { f(1, s.names); }
WM_FIELDS(ReservationView) {
  f(1, s.what), f(2, s.hosts), f(3, s.used), f(4, s.active), f(5, s.from), f(6, s.until);
  f(7, s.jobs);
}
WM_FIELDS(ReservationsReply) { f(1, s.reservations), f(2, s.missing); }

}  // namespace wm

WM_CODEC(wm::ReserveRequest)
WM_CODEC(wm::ReserveReply)
WM_CODEC(wm::ReservationsRequest)
WM_CODEC(wm::ReservationsReply)
