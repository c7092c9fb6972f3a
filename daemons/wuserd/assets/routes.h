// Role: the routes about projects, and models that were saved from a run.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Tables of rows; door.cc looks through them. @cost O(1)
const std::vector<Route>& asset_routes();
const std::vector<Route>& model_routes();
const std::vector<Route>& version_routes();
const std::vector<Route>& view_routes();

}  // namespace wm::user
