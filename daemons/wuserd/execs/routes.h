// Role: the routes about executions, as clients of WMLA and as ours see them.
#pragma once

#include "daemons/wuserd/site/site.h"

namespace wm::user {

/// Tables of rows; door.cc looks through them. @cost O(1)
const std::vector<Route>& exec_routes();
const std::vector<Route>& scheduler_routes();
const std::vector<Route>& job_routes();
const std::vector<Route>& job_act_routes();
const std::vector<Route>& output_routes();
const std::vector<Route>& again_routes();
const std::vector<Route>& run_routes();

}  // namespace wm::user
