// Role: gathers what one report says from report.db and acct.db: for the cluster, a plan with those
// below it, or a user.
#pragma once

#include "libwm/report/facts.h"
#include "libwm/store/report/report_db.h"

namespace wm::store {

class MeterDb;

/// Which report.
struct FactsWish {
  std::string cluster;
  report::Period period;
  report::Zone zone;
  std::string about;         ///< empty: all; "/a/b": a plan; else a user
  std::int64_t now = 0;      ///< @units s since 1970
  MeterDb* meter = nullptr;  ///< how well GPUs were used; null: not known
};

/// @errors Store, Damaged   @cost hours of the period, and its dispatches, ends and resizes
Result<report::Facts> gather(AcctScan& acct, ReportDb& reports, const FactsWish& wish);

/// Users who held something in the period or waited at its end, in order.
/// @errors Store, Damaged
Result<std::vector<std::string>> users_of(AcctScan& acct, ReportDb& reports,
                                          const report::Period& period);

}  // namespace wm::store
