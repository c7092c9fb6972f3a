// Role: what bplans -b and bsub -cost show of budgets: a line for each resource that one bounds, in
// hours. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/model/verbs/budget_verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// A budget's GPU hours, or its CPU hours. @owns borrows the view
struct BudgetLine {
  const BudgetView* budget = nullptr;
  bool gpu = false;
};

/// The lines of these budgets, in order. @cost O(budgets)   @owns borrows `budgets`
std::vector<BudgetLine> budget_lines(std::span<const BudgetView> budgets);
/// Every field, in the order of `-o all`. @cost O(1)
std::span<const Field<BudgetLine>> budget_fields();
/// The default table. @cost O(budgets)
std::string budget_table(std::span<const BudgetView> budgets, bool with_header);
/// What a job would draw, a line a budget and resource, and what that means. @cost O(budgets)
std::string cost_text(std::span<const BudgetView> budgets);

}  // namespace wm::view
