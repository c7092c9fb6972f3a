// Role: brings report.db up to what acct.db has: all hours after the last final one, a day a
// transaction, in one scan of the gap.
//
//   final hours: closed, never touched again unless `from` says so
//   the hours after: replaced each time, until the horizon has passed them
//
// Killed anywhere or done twice the result is the same.
#pragma once

#include <optional>

#include "libwm/store/report/report_db.h"

namespace wm::store {

/// What is asked of a roll-up.
struct RollWish {
  report::Zone zone;
  std::optional<std::int64_t> from;  ///< again from here on. @units s since 1970
  std::int64_t now = 0;              ///< @units s since 1970
};

/// What it did. @units horizon: us
struct Rolled {
  std::size_t hours = 0, finals = 0, restated = 0;
  std::int64_t horizon = 0;
};

/// @errors Store, Damaged: up to the window before all is in
/// @cost O(parts of the gap); memory O(parts of a day and those that last)
Result<Rolled> roll(AcctScan& acct, ReportDb& reports, const RollWish& wish);

}  // namespace wm::store
