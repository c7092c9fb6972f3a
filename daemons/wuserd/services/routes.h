// Role: the routes about inference services.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Tables of rows; door.cc looks through them. @cost O(1)
const std::vector<Route>& service_routes();
const std::vector<Route>& dlim_routes();
const std::vector<Route>& kserve_routes();
const std::vector<Route>& from_run_routes();

}  // namespace wm::user
