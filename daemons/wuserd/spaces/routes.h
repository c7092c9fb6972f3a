// Role: the routes about spaces.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// A table of rows; door.cc looks through it. @cost O(1)
const std::vector<Route>& space_routes();
const std::vector<Route>& shared_project_routes();

}  // namespace wm::user
