// Role: finds the member that keeps the others waiting. Workers report once a second whether
// they stand in a collective; a stopped or looping one either says no, or says nothing.
//
// Invariant: nobody is named unless another member has waited in a collective for the whole
// limit, so a group that is slow together is left alone. Called by Lead on every tick.
#pragma once

#include <optional>
#include <vector>

#include "libwm/elastic/roster.h"

namespace wm::elastic {

/// Progress older than this says nothing about where its worker is now.
inline constexpr Duration kProgressStale = std::chrono::seconds(5);

/// How long a member may be missing in a collective: the order's limit, at least 10 of its
/// members' steps. @units monotonic time   @cost O(members)
Duration hang_limit(const Roster& roster, const std::vector<TaskNumber>& members);

/// The first member, by rank, that has not entered a collective in which another has waited for
/// hang_limit; none if all is well. @cost O(members log tasks)
std::optional<TaskNumber> find_hung(const Roster& roster, const std::vector<TaskNumber>& members,
                                    TimePoint now);

}  // namespace wm::elastic
