// Role: budgets.conf beyond its keys: when periods begin, and what no single key can say. Called by
// load.cc.
#pragma once

#include <ctime>
#include <functional>

#include "libwm/conf/check.h"

namespace wm::conf {

/// From a date and time as clocks show it to seconds since 1970: ::timegm, ::mktime.
using Clock = std::function<std::time_t(std::tm*)>;

/// The months, and the dates of FROM..TO, by this clock. Nothing where there is no budget.
/// @cost O(months + budgets)
void set_dates(Budgets& budgets, const Clock& clock);

/// Adds a problem for each budget of nothing, without hours, of another period, or within itself.
/// @cost O(budgets squared) at the most
void check_budgets(const Config& config, const Lines& lines, Problems& problems);

}  // namespace wm::conf
