// Role: precedence (2) of DESIGN 5.1, on amounts: a pending rigid job that its user's share
// does not cover takes what is idle, then the surplus of elastic jobs of lower-priority
// queues, lowest first; other pending jobs take what is idle. What nobody's share covers in
// the end lets elastic jobs grow beyond theirs. Called by targets.cc.
// Plan limits are kept; plans with a borrow bound take nothing here.
#pragma once

#include <utility>
#include <vector>

#include "libwm/sched/demand/claim.h"
#include "libwm/sched/shares/plan_tree.h"

namespace wm::sched {

/// The claims of one class. @owns borrowed
struct Contest {
  std::vector<Claim*> claims;  ///< in dispatch order, without the fixed ones
  std::vector<Units> fixed;    ///< what those hold, by node of a user
};

/// What runs beyond its user's share (`excess`, by claim; units) is paid by elastic
/// claims of lower-priority queues, lowest first, as far as their surplus goes: each gets a
/// ceiling. Else every further job would be paid by all, higher queues too.
/// @units Units of the class   @cost O(claims + (donors + units moved) x log donors)
void charge(const Contest& contest, const PlanTree& tree,
            const std::vector<std::pair<const Claim*, Units>>& excess);

/// Admits more claims, using `spare` and surplus. A claim that gives gets a ceiling. Tells
/// whether any gave.
/// @units Units of the class   @cost O(claims + (donors + units moved) x log donors)
bool take_over(const Contest& contest, const PlanTree& tree, Units spare);

/// Raises targets of elastic claims to use `spare`, in dispatch order, ceilings or not. Returns
/// what is left.
/// @units Units of the class   @cost O(claims + units)
Units grow_into(const Contest& contest, const PlanTree& tree, Units spare);

}  // namespace wm::sched
