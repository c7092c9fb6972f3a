// Role: the routes about what a user holds at the door.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// A table of rows; door.cc looks through it. @cost O(1)
const std::vector<Route>& account_routes();

}  // namespace wm::user
