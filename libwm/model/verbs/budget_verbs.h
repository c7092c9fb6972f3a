// Role: what bplans -b and bsub ask about budgets: how each stands and, for a job that is not
// submitted yet, what it would draw on which of them. Values; their bytes are
// codec/budget_verbs.cc's.
#pragma once

#include <string>
#include <vector>

#include "libwm/model/budget.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// Anyone. `spec`: codec bytes of JobSpec, of a job that is not submitted: only budgets that it
/// draws on; empty: every budget. Errors: as SubmitRequest's where `spec` would be refused.
struct BudgetsRequest {
  using Reply = struct BudgetsReply;
  static constexpr Verb kVerb = Verb::Budgets;
  std::string spec;
  bool operator==(const BudgetsRequest&) const = default;
};

/// How a budget stands. @units amounts: thousandths times ms; rate: thousandths; percent: of what
/// it grants and carried, of the resource that is scarcer
struct BudgetView {
  std::string name, at_end, within;
  std::string period;  ///< "November 2026"
  WallTime from{}, to{};
  bool gpu_bounded = false, cpu_bounded = false;
  Drawn grant, carried, drawn, refunded;
  Drawn reserved;  ///< by jobs that run, for what their run limits leave them
  Drawn rate;
  std::int64_t percent = 0;
  std::uint32_t warn = 0;
  WallTime empty_at{};  ///< at this rate; 0: not in this period
  Drawn cost;           ///< of the job asked about
  std::string text;     ///< and what that means; empty: there is room
  bool operator==(const BudgetView&) const = default;
  Drawn left() const { return grant + carried + refunded - drawn; }
};
struct BudgetsReply {
  std::vector<BudgetView> budgets;  ///< by name
  bool operator==(const BudgetsReply&) const = default;
};

}  // namespace wm
