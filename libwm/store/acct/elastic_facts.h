// Role: elastic jobs of a report: how they were sized, and what resizing them cost.
//
//   cost = time of those that leave + start of newcomers until they are members
//          + pause x members that paused                                      in slot seconds
#pragma once

#include "libwm/report/facts.h"
#include "libwm/store/acct/acct_scan.h"

namespace wm::store {

/// As reports count time. @cost O(1)
inline double seconds(Duration d) { return static_cast<double>(d.count()) / 1e6; }

/// Adds the jobs that were resized in the window, the largest first, fifty at the most.
/// @errors Store, Damaged   @cost their parts and history
Result<void> add_elastic(AcctScan& acct, Window window, report::Facts& facts);

}  // namespace wm::store
