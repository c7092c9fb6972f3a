// Role: the routes about inference services.
#pragma once

#include <span>

#include "daemons/wuserd/site/guest.h"

namespace wm::user {

/// Tables of rows; door.cc looks through them. @cost O(1)
const std::vector<Route>& service_routes();
const std::vector<Route>& dlim_routes();
const std::vector<Route>& kserve_routes();
const std::vector<Route>& from_run_routes();

/// What other users may ask of this one's services, where the callers of their profiles name them.
/// @cost O(1)
std::span<const GuestRow> service_guest_rows();

}  // namespace wm::user
