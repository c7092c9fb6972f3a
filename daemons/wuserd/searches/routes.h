// Role: the routes about searches of hyperparameters.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// A table of rows; door.cc looks through it. @cost O(1)
const std::vector<Route>& search_routes();

}  // namespace wm::user
