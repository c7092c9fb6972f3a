// Role: budgets.conf as values: how many GPU hours and CPU hours a plan, a project or a user has in
// a month, a quarter, a year or between two dates, and what happens when they are used up. A part
// of Config; what was drawn is in budget.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/units.h"

namespace wm {

/// A section of budgets.conf: "/research/vision", "project:p2" or "user:alice".
struct BudgetConf {
  std::string name;
  std::optional<std::uint32_t> gpu_hours, cpu_hours;  ///< none: as much as there is
  std::string period = "month";                       ///< or quarter, year, FROM..TO as dates
  WallTime from{}, to{};          ///< of FROM..TO; equal: a period that comes again
  std::uint32_t carry = 0;        ///< percent of the grant that goes into the next period, once
  std::uint32_t warn = 80;        ///< percent used from which bsub says so
  std::string at_end = "refuse";  ///< or lowest, shrink
  std::string within;             ///< another budget that is drawn on as well; empty: none
  bool operator==(const BudgetConf&) const = default;
};

/// All of them, by name, and the calendar that they go by.
/// @units months: seconds since 1970 at which the months of 2020 and later begin, rising
struct Budgets {
  std::vector<BudgetConf> list;
  std::vector<std::int64_t> months;
  bool operator==(const Budgets&) const = default;
  /// The named one, or null. @cost O(log budgets)
  const BudgetConf* find(const std::string& name) const;
};

}  // namespace wm
