// Role: the routes about the cluster, and the interface itself.
#pragma once

#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Tables of rows; door.cc looks through them. @cost O(1)
const std::vector<Route>& cluster_routes();
const std::vector<Route>& admin_routes();
const std::vector<Route>& config_routes();
const std::vector<Route>& usage_routes();
const std::vector<Route>& document_routes();

/// The OpenAPI document of all routes. @cost O(routes)
std::string openapi_document();

}  // namespace wm::user
