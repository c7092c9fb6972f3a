// Role: what bplans shows of a resource plan: the fields of -o and -json, the tree and the
// long form. Amounts are slots, or GPUs where GPUs are what is short. Pure.
// @source DESIGN 5.1 and 8
#pragma once

#include <span>
#include <string>

#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// Every field, in the order of `-o all`. @cost O(1)
std::span<const Field<PlanView>> plan_fields();
/// What LSF has no column for: in JSON only. @cost O(1)
std::span<const Field<PlanView>> more_plan_fields();
/// Fields of a loan. @cost O(1)
std::span<const Field<PlanLoan>> loan_fields();

/// A plan's place in the tree: "/research/vision" as "    /vision", two blanks a level; the
/// root as "/". @cost O(path)
std::string tree_name(const std::string& path);

/// The default table. `plans` in tree order; with `whole_paths`, paths instead of a tree.
/// @cost O(plans)
std::string plan_table(std::span<const PlanView> plans, bool whole_paths, bool with_header);

/// -l: everything about one plan. @cost O(text)
std::string plan_long_text(const PlanView& view);

}  // namespace wm::view
