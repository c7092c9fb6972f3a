// Role: the tables of sums and of measured use, version by version; FORMAT.md
// explains them.
#pragma once

#include "libwm/store/sqlite/schema.h"

namespace wm::store {

/// Of sums by the hour, report.db. @cost O(1)
extern const Schema kReportSchema;
/// Of measured use, meter.db. @cost O(1)
extern const Schema kMeterSchema;

}  // namespace wm::store
