// Role: times that come again every week: windows of queues, plans, limits and advance
// reservations. Pure: what clocks on the wall show is a table in the configuration.
//
// @source LSF: RUN_WINDOW, DISPATCH_WINDOW, brsvadd -t: "day:hour:minute-day:hour:minute"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm {

/// A part of the week. @units minutes since Sunday 0:00, both in 0..10079; `to` not included, and
/// one that is not after `from` is in the next week: equal ones are the whole week
struct WeekWindow {
  std::uint32_t from = 0, to = 0;
  bool operator==(const WeekWindow&) const = default;
};
using WeekWindows = std::vector<WeekWindow>;

/// What clocks of the master's machine show from an instant on: that much more than UTC.
/// @units seconds
struct ClockStep {
  std::int64_t from = 0, ahead = 0;
  bool operator==(const ClockStep&) const = default;
};
/// By time, rising. Empty: UTC.
using ClockSteps = std::vector<ClockStep>;

/// A span of time that is open, the end not included.
struct OpenSpan {
  WallTime from{}, until{};
  bool operator==(const OpenSpan&) const = default;
};

inline constexpr std::uint32_t kWeekMinutes = 7 * 24 * 60;  ///< of a week

/// Windows as LSF writes them, blanks between: "5:18:00-1:8:30 20:00-6:00"; hours and minutes
/// alone, or an hour alone, mean every day.
/// @errors BadArgument: names the word and what is wrong with it
Result<WeekWindows> parse_windows(std::string_view text);
/// The same again, as parse_windows reads it. @cost O(windows)
std::string show_windows(const WeekWindows& windows);

/// The minute of the week that clocks show. @cost O(log steps)
std::uint32_t week_minute(const ClockSteps& clock, WallTime at);
/// Is any of them open in that minute of the week? @cost O(windows)
bool holds_minute(const WeekWindows& windows, std::uint32_t minute);
/// Is any of them open? No windows: always. @cost O(windows)
bool is_open(const WeekWindows& windows, const ClockSteps& clock, WallTime at);
/// When that changes next; none: never. @cost O(windows)
std::optional<WallTime> next_change(const WeekWindows& windows, const ClockSteps& clock,
                                    WallTime at);
/// What is left of the span that is open at `at`, or else the next; none: without windows.
/// @cost O(windows)
std::optional<OpenSpan> open_span(const WeekWindows& windows, const ClockSteps& clock, WallTime at);

}  // namespace wm
