// Field tables of model/verbs/plan_verbs.h. Tags are append-only.
#include "libwm/model/verbs/plan_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(PlansRequest) { f(1, s.paths); }
WM_FIELDS(PlanLoan) { f(1, s.from), f(2, s.to), f(3, s.amount); }
WM_FIELDS(PlanView) {
  f(1, s.path), f(2, s.shares), f(3, s.owns), f(4, s.limit), f(5, s.used), f(6, s.demand);
  f(7, s.deserved), f(8, s.lent), f(9, s.borrowed), f(10, s.conf), f(11, s.loans),
      f(12, s.used_lately);
  f(13, s.weight_now), f(14, s.gpus);
}
WM_FIELDS(PlansReply) { f(1, s.plans); }

}  // namespace wm

WM_CODEC(wm::PlansRequest)
WM_CODEC(wm::PlansReply)
