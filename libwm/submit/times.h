// Role: dates as users of LSF write them, in local time, to moments; used by bsub -b and -t and
// by bacct's ranges. Pure but for the time zone. @source LSF bsub, bacct
#pragma once

#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::cmd {

/// `[[[year:]month:]day:]hour:minute`, bsub's; what is left out is of the next such moment
/// after `now`. @errors BadArgument: Bad time specification
Result<WallTime> parse_date(std::string_view text, WallTime now);

/// From and to; the epoch itself where an end is open.
struct TimeRange {
  WallTime from{}, to{};
};

/// `from,to`, bacct's, either end open; an end is `[year/]month/day[/hour:[minute]]`, a day
/// `day[/hour:minute]`, a time of today `hour:minute`, or `.` for now. What is left out is as
/// now; the second end includes its day or minute. @errors BadArgument: Bad time specification
Result<TimeRange> parse_range(std::string_view text, WallTime now);

}  // namespace wm::cmd
