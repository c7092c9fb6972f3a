// Role: the routes about notebooks.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// A table of rows; door.cc looks through it. @cost O(1)
const std::vector<Route>& notebook_routes();

}  // namespace wm::user
