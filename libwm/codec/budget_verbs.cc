// Field tables of model/verbs/budget_verbs.h. Tags are append-only.
#include "libwm/model/verbs/budget_verbs.h"

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm {

WM_FIELDS(BudgetsRequest) { f(1, s.spec); }
WM_FIELDS(BudgetView) {
  f(1, s.name), f(2, s.at_end), f(3, s.period), f(4, s.from), f(5, s.to), f(6, s.gpu_bounded);
  f(7, s.cpu_bounded), f(8, s.grant), f(9, s.carried), f(10, s.drawn), f(11, s.refunded);
  f(12, s.reserved), f(13, s.rate), f(14, s.percent), f(15, s.empty_at), f(16, s.cost);
  f(17, s.text), f(18, s.warn), f(19, s.within);
}
WM_FIELDS(BudgetsReply) { f(1, s.budgets); }

}  // namespace wm

WM_CODEC(wm::BudgetsRequest)
WM_CODEC(wm::BudgetsReply)
