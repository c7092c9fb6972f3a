#include "libwm/model/config/calendar.h"

#include <algorithm>
#include <charconv>

namespace wm {
namespace {

constexpr std::uint32_t kDayMinutes = 24 * 60, kDays = 7;

// Up to three numbers with colons between: hour; hour:minute; day:hour:minute.
std::optional<std::vector<std::uint32_t>> numbers_of(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  while (true) {
    auto colon = std::min(text.find(':'), text.size());
    std::uint32_t n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + colon, n);
    if (error != std::errc() || end != text.data() + colon) return {};
    numbers.push_back(n);
    if (colon == text.size()) return numbers;
    text.remove_prefix(colon + 1);
  }
}

// A moment of the week, or of each day.
struct Moment {
  std::optional<std::uint32_t> day;
  std::uint32_t minute = 0;  // of the day
};

std::optional<Moment> moment_of(std::string_view text) {
  auto numbers = numbers_of(text);
  if (!numbers || numbers->size() > 3) return {};
  Moment moment;
  if (numbers->size() == 3) {
    moment.day = numbers->front();
    numbers->erase(numbers->begin());
  }
  std::uint32_t hour = numbers->front(), minute = numbers->size() == 2 ? numbers->back() : 0;
  if (moment.day.value_or(0) > 7 || hour > 24 || minute > 59 || (hour == 24 && minute)) return {};
  if (moment.day == 7u) moment.day = 0;
  moment.minute = hour * 60 + minute;
  return moment;
}

Error wrong(std::string_view word) {
  return fail(Code::BadArgument, "'" + std::string(word) +
                                     "' is no time window: [day:]hour[:minute]-[day:]hour[:minute]"
                                     " is wanted, days 0 (Sunday) to 6");
}

Result<void> add_window(std::string_view word, WeekWindows& windows) {
  auto dash = word.find('-');
  if (dash == word.npos) return wrong(word);
  auto from = moment_of(word.substr(0, dash)), to = moment_of(word.substr(dash + 1));
  if (!from || !to || from->day.has_value() != to->day.has_value()) return wrong(word);
  if (from->day) {
    windows.push_back({(*from->day * kDayMinutes + from->minute) % kWeekMinutes,
                       (*to->day * kDayMinutes + to->minute) % kWeekMinutes});
    return {};
  }
  if (from->minute % kDayMinutes == to->minute % kDayMinutes) {
    windows.push_back({0, 0});
    return {};
  }
  std::uint32_t over = to->minute > from->minute ? 0 : kDayMinutes;
  for (std::uint32_t day = 0; day < 7; ++day)
    windows.push_back({(day * kDayMinutes + from->minute) % kWeekMinutes,
                       (day * kDayMinutes + to->minute + over) % kWeekMinutes});
  return {};
}

std::string show_minute(std::uint32_t minute) {
  auto two = [](std::uint32_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(minute / kDayMinutes) + ":" + two(minute % kDayMinutes / 60) + ":" +
         two(minute % 60);
}

// Minutes that the window is open.
std::uint32_t length_of(const WeekWindow& window) {
  return window.to > window.from ? window.to - window.from : window.to + kWeekMinutes - window.from;
}

bool holds(const WeekWindow& window, std::uint32_t minute) {
  return (minute + kWeekMinutes - window.from) % kWeekMinutes < length_of(window);
}

std::int64_t ahead_at(const ClockSteps& clock, std::int64_t second) {
  std::int64_t ahead = 0;
  for (const ClockStep& step : clock) {
    if (step.from > second) break;
    ahead = step.ahead;
  }
  return ahead;
}

std::int64_t second_of(WallTime at) {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

// Seconds since a Sunday 0:00, as clocks show them.
std::int64_t shown(const ClockSteps& clock, WallTime at) {
  constexpr std::int64_t kThursday = 4 * 24 * 3600;  // 1970 began on one
  std::int64_t second = second_of(at);
  return second + ahead_at(clock, second) + kThursday;
}

// The instant at which clocks show so many seconds more than they do at `at`.
WallTime later(const ClockSteps& clock, WallTime at, std::int64_t seconds) {
  std::int64_t from = second_of(at), then = from + seconds;
  then -= ahead_at(clock, then) - ahead_at(clock, from);
  return WallTime(std::chrono::seconds(then));
}

bool any_open(const WeekWindows& windows, std::uint32_t minute) {
  return std::any_of(windows.begin(), windows.end(),
                     [&](const WeekWindow& window) { return holds(window, minute); });
}

// Minutes from that one of the week on until `wanted` holds; none: never.
std::optional<std::uint32_t> minutes_until(const WeekWindows& windows, std::uint32_t minute,
                                           bool wanted) {
  std::optional<std::uint32_t> least;
  for (const WeekWindow& window : windows)
    for (std::uint32_t edge : {window.from, window.to}) {
      std::uint32_t wait = (edge + kWeekMinutes - minute) % kWeekMinutes;
      if (wait == 0) wait = kWeekMinutes;
      if (any_open(windows, edge) != wanted || (least && *least <= wait)) continue;
      least = wait;
    }
  return least;
}

// Is it, with those that follow, one of every day, as parse_windows makes them?
bool is_daily(const WeekWindows& windows, std::size_t first) {
  if (first + kDays > windows.size()) return false;
  for (std::uint32_t day = 0; day < kDays; ++day) {
    auto later = [&](std::uint32_t minute) { return (minute + day * kDayMinutes) % kWeekMinutes; };
    WeekWindow wanted{later(windows[first].from), later(windows[first].to)};
    if (windows[first].from >= kDayMinutes || !(windows[first + day] == wanted)) return false;
  }
  return true;
}

}  // namespace

bool holds_minute(const WeekWindows& windows, std::uint32_t minute) {
  return any_open(windows, minute);
}

Result<WeekWindows> parse_windows(std::string_view text) {
  WeekWindows windows;
  constexpr std::string_view kBlank = " \t,";
  while (true) {
    auto from = text.find_first_not_of(kBlank);
    if (from == text.npos) return windows;
    text.remove_prefix(from);
    auto end = std::min(text.find_first_of(kBlank), text.size());
    WM_TRY(add_window(text.substr(0, end), windows));
    text.remove_prefix(end);
  }
}

std::string show_windows(const WeekWindows& windows) {
  constexpr std::size_t kNoDay = 2;  // "0:08:00" without it
  std::string text;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    auto from = show_minute(windows[i].from), to = show_minute(windows[i].to);
    if (is_daily(windows, i)) {
      from.erase(0, kNoDay);
      to.erase(0, kNoDay);
      i += kDays - 1;
    }
    text += (text.empty() ? "" : " ") + from + "-" + to;
  }
  return text;
}

std::uint32_t week_minute(const ClockSteps& clock, WallTime at) {
  constexpr std::int64_t kWeek = std::int64_t{kWeekMinutes} * 60;
  std::int64_t second = (shown(clock, at) % kWeek + kWeek) % kWeek;
  return static_cast<std::uint32_t>(second / 60);
}

bool is_open(const WeekWindows& windows, const ClockSteps& clock, WallTime at) {
  return windows.empty() || holds_minute(windows, week_minute(clock, at));
}

std::optional<WallTime> next_change(const WeekWindows& windows, const ClockSteps& clock,
                                    WallTime at) {
  if (windows.empty()) return {};
  std::uint32_t minute = week_minute(clock, at);
  auto wait = minutes_until(windows, minute, !holds_minute(windows, minute));
  if (!wait) return {};
  std::int64_t into = (shown(clock, at) % 60 + 60) % 60;
  return later(clock, at, std::int64_t{*wait} * 60 - into);
}

std::optional<OpenSpan> open_span(const WeekWindows& windows, const ClockSteps& clock,
                                  WallTime at) {
  if (windows.empty()) return {};
  WallTime from = at;
  if (!is_open(windows, clock, at)) {
    auto begins = next_change(windows, clock, at);
    if (!begins) return {};
    from = *begins;
  }
  auto ends = next_change(windows, clock, from);
  return OpenSpan{from, ends.value_or(WallTime::max())};
}

}  // namespace wm
