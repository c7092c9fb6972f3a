// Role: what a job that is submitted from inside another one does not inherit: variables that WM
// has set for the outer job. Each task has their names in WM_OWN, most with a mark of the value;
// bsub leaves them out of the new job's environment unless the submitter has changed them.
//   WM_OWN="RANK:9f2c WORLD_SIZE:41aa LSB_BIND_CPU_LIST"
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace wm {

/// Where the list stands in a task's environment.
inline constexpr const char* kOwnList = "WM_OWN";

/// "RANK:9f2c": a variable of the list while it has this value. @cost O(value)   @thread any
std::string own_entry(std::string_view name, std::string_view value);

/// Takes WM_OWN out, and each variable that it names: one with a mark only where its value still is
/// what WM set. Words that are no entries are passed over. @cost O(list + variables' values)
/// @thread any
void leave_out_own(std::map<std::string, std::string>& variables);

}  // namespace wm
