// Role: the routes about the cluster, and the interface itself.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Tables of rows; door.cc looks through them. @cost O(1)
const std::vector<Route>& cluster_routes();
const std::vector<Route>& document_routes();

}  // namespace wm::user
