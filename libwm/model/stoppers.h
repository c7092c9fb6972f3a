// Role: who stops jobs without being a user: a run window that has closed, a host's load. Named in
// Suspension::by beside users, whose names have no blanks.
#pragma once

#include <string>

#include "libwm/model/job.h"

namespace wm {

/// "run window of queue <night>" @cost O(1)
std::string window_stopper(const std::string& queue);
/// "load of host <a>" @cost O(1)
std::string load_stopper(const std::string& host);
/// Was the job stopped for its host's load? @cost O(1)
bool is_stopped_for_load(const Job& job);
/// Was it stopped by none of the users: SSUSP? @cost O(1)
bool is_stopped_by_system(const Job& job);

}  // namespace wm
