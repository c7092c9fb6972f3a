// Role: the days, weeks and months that reports are about, and the hours they are made of, at the
// site's own time. Pure.
//
//   hour  begins where the local minute is 0: an hour long but for odd changes of the clock
//   day   local midnight to midnight: 23 to 25 hours;  week  from Monday;  month
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/report/zone.h"

namespace wm::report {

/// How long a report looks back.
enum class Kind { Day, Week, Month };
/// "day", "week", "month".
std::string_view kind_name(Kind kind);

/// A period with its name: "2026-10-25", "2026-W43", "2026-10". @units seconds since 1970
struct Period {
  Kind kind = Kind::Day;
  std::string name;
  std::int64_t from = 0, to = 0;
  bool operator==(const Period&) const = default;
};

/// An hour of the roll-up. @units ms since 1970, ms
struct Hour {
  std::int64_t start = 0, len = 0;
  std::int64_t end() const { return start + len; }
  bool operator==(const Hour&) const = default;
};

/// The period that holds this instant. @cost O(log steps)
Period period_at(Kind kind, const Zone& zone, std::int64_t s);
/// The one before. @cost O(log steps)
Period before(const Period& period, const Zone& zone);
/// Reads its name, or "last", "this", "yesterday", "today" as seen at `now`.
/// @errors BadArgument: no such period
Result<Period> period_named(Kind kind, std::string_view text, const Zone& zone, std::int64_t now);
/// Reads "2026-10-25", "2026-10-25 14:30" or "…T14:30" as local time.
/// @errors BadArgument: no such time
Result<std::int64_t> instant_named(std::string_view text, const Zone& zone);

/// The hours from the one that holds `from` to the one that holds the last instant before `to`.
/// @units seconds since 1970   @cost O(hours)
std::vector<Hour> hours_of(const Zone& zone, std::int64_t from, std::int64_t to);
/// Start of the hour that holds this instant. @cost O(log steps)
std::int64_t hour_start(const Zone& zone, std::int64_t s);

/// "25 h, Europe/Berlin": length and place, as headings have it.
std::string length_words(const Period& period, const Zone& zone);
/// "Sunday 25 October 2026", "19 to 25 October 2026", "October 2026".
std::string period_words(const Period& period, const Zone& zone);

}  // namespace wm::report
