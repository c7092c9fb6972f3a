// Role: the routes about data, and where it comes from.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Tables of rows; door.cc looks through them. @cost O(1)
const std::vector<Route>& data_routes();
const std::vector<Route>& data_asset_routes();

}  // namespace wm::user
