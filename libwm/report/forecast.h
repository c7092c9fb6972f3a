// Role: when the cluster will be full, from how full it was on each day: the median of the slopes
// between all days, which single odd days do not bend, weekdays made alike first. Pure.
// @source Theil 1950, Sen 1968; the range of the slope by Kendall's variance
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace wm::report {

/// How full it was: day since 1970, allocated of available.
using DayRatios = std::vector<std::pair<std::int64_t, double>>;

/// What the days say. @units days since 1970; 0: not within ten years
struct Forecast {
  std::size_t days = 0;
  bool trend = false;                     ///< false: fewer than 28 days, or it may as well not rise
  double ratio = 0;                       ///< on the last day, by the line
  double per_day = 0, low = 0, high = 0;  ///< slope, and its range of 80 %
  std::int64_t full = 0, earliest = 0, latest = 0;
  DayRatios of;  ///< the days that it was made of
};

/// When the line comes to `line`. @cost O(days squared log days)
Forecast forecast(const DayRatios& days, double line = 0.85);

}  // namespace wm::report
