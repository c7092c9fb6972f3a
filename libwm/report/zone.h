// Role: a time zone as a value: from which instant on which offset holds. The reader of the
// system's zones makes one (the rim); all dates of reports are computed from it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libwm/base/units.h"

namespace wm::report {

/// @units seconds
inline constexpr std::int64_t kDay = 86400;
/// Rounded down, below zero as well. @cost O(1)
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// A point of the calendar and the clock at some place.
struct Civil {
  int year = 1970;
  unsigned month = 1, day = 1;
  int hour = 0, minute = 0, second = 0;
  bool operator==(const Civil&) const = default;
};

/// Offsets from UTC. @units seconds; the first step's instant counts for all before it
struct Zone {
  std::string name = "UTC";
  std::vector<std::pair<std::int64_t, int>> steps = {{0, 0}};  ///< since 1970, rising
};

/// Seconds since 1970, rounded down. @cost O(1)
std::int64_t seconds_of(WallTime t);
WallTime at_second(std::int64_t s);

/// Seconds to be added to UTC. @cost O(log steps)
int offset_at(const Zone& zone, std::int64_t s);
/// What clocks and calendars show there. @cost O(log steps)
Civil local(const Zone& zone, std::int64_t s);
/// The first instant at which clocks show this or, when they skip it, a later time.
/// @cost O(log steps)
std::int64_t instant(const Zone& zone, const Civil& civil);

/// Days since 1970-01-01 of a date, and back. @source proleptic Gregorian calendar
std::int64_t days_of(const Civil& date);
Civil date_of(std::int64_t days);
/// 0 = Monday. @cost O(1)
unsigned weekday(const Civil& date);

/// "2026-10-25", "2026-10-25 02:00+02:00", "Sunday 25 October 2026".
std::string date_text(const Civil& date);
std::string stamp(const Zone& zone, std::int64_t s);
std::string date_words(const Civil& date);

}  // namespace wm::report
