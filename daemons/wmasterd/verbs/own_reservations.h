// Role: which advance reservations users who are no administrators may make, for themselves alone:
// as sections of limits.conf with `reservations = yes` say. Pure.
// @source LSF: ResourceReservation sections of lsb.resources
#pragma once

#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/cluster.h"

namespace wm::master {

/// The sections that name this user. @cost O(sections x names)   @owns borrows `config`
std::vector<const LimitRule*> reserve_rules(const Config& config, const Identity& who);

/// May a reservation by this section be on that host? @cost O(names x groups)
bool allows_host(const Config& config, const LimitRule& rule, const Host& host);

/// Is it the user's own: made by the user, for the user and nobody else? @cost O(1)
bool is_own(const Reservation& what, const Identity& who);

/// Does this section allow it, beside the user's own reservations for the same time?
/// @errors Denied: the user it is for, its times, a host; Limit: slots
/// @cost O(reservations + places + minutes of a week)
Result<void> check_reserve_rule(const Cluster& state, const LimitRule& rule,
                                const Reservation& what, const Identity& who);

}  // namespace wm::master
