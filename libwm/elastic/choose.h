// Role: who shall be in the next epoch. Pure choice from the roster and the present members;
// the lead publishes it. Rules: PROTOCOL L-7, L-8 and DESIGN 5.2.
//
// Invariants: survivors first, in their old order, then newcomers in the order's order; never
// empty when there is somebody with state. Called by Lead.
#pragma once

#include <cstdint>
#include <vector>

#include "libwm/elastic/roster.h"

namespace wm::elastic {

/// A membership, in rank order; the first `survivors` carry state.
struct Choice {
  std::vector<TaskNumber> members;
  std::uint32_t survivors = 0;
  bool keeps_leavers = false;  ///< everybody is to leave: newcomers are let in first
  bool operator==(const Choice&) const = default;
};

/// Next membership while the group `current` is whole. @cost O(tasks²)
Choice choose_next(const Roster& roster, const std::vector<TaskNumber>& current);

/// Membership after a failure, from those that have answered: leavers stay out unless they alone
/// have applied the newest step, or nobody else is left. @cost O(tasks²)
Choice choose_survivors(const Roster& roster, const std::vector<TaskNumber>& answered);

/// First membership: every newcomer that is ready. @cost O(tasks²)
Choice choose_first(const Roster& roster);

/// All tasks that are wanted and may still come are ready. @cost O(tasks²)
bool is_complete(const Roster& roster);

}  // namespace wm::elastic
