// Role: the routes about what jobs may ask for.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// A table of rows; door.cc looks through it. @cost O(1)
const std::vector<Route>& catalog_routes();

}  // namespace wm::user
