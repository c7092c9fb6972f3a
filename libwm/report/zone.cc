#include "libwm/report/zone.h"

#include <algorithm>
#include <array>

namespace wm::report {
namespace {

constexpr std::array<const char*, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                              "Friday", "Saturday", "Sunday"};
constexpr std::array<const char*, 12> kMonths = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};

std::string two(int n) { return std::string(n < 10 ? "0" : "") + std::to_string(n); }

}  // namespace

std::int64_t seconds_of(WallTime t) {
  return std::chrono::floor<std::chrono::seconds>(t.time_since_epoch()).count();
}
WallTime at_second(std::int64_t s) { return WallTime(std::chrono::seconds(s)); }

int offset_at(const Zone& zone, std::int64_t s) {
  auto after = std::upper_bound(zone.steps.begin(), zone.steps.end(), s,
                                [](std::int64_t at, const auto& step) { return at < step.first; });
  if (zone.steps.empty()) return 0;
  return after == zone.steps.begin() ? after->second : std::prev(after)->second;
}

Civil local(const Zone& zone, std::int64_t s) {
  auto there = s + offset_at(zone, s);
  auto days = floor_div(there, kDay);
  auto rest = static_cast<int>(there - days * kDay);
  Civil civil = date_of(days);
  civil.hour = rest / 3600;
  civil.minute = rest / 60 % 60;
  civil.second = rest % 60;
  return civil;
}

std::int64_t instant(const Zone& zone, const Civil& civil) {
  auto there = days_of(civil) * kDay + civil.hour * 3600 + civil.minute * 60 + civil.second;
  // The offsets in force a day before and after: the larger one gives the earlier instant.
  int before = offset_at(zone, there - kDay), after = offset_at(zone, there + kDay);
  std::int64_t best = there - std::min(before, after);
  for (int offset : {std::max(before, after), std::min(before, after)})
    if (offset_at(zone, there - offset) == offset) return there - offset;
  // Skipped: the clock jumps over it, so the jump itself is the first that is not before.
  for (const auto& [at, offset] : zone.steps)
    if (at > best - kDay && at <= best + kDay && at + offset >= there) return at;
  return best;
}

std::int64_t days_of(const Civil& date) {
  return std::chrono::sys_days(std::chrono::year(date.year) / static_cast<int>(date.month) /
                               static_cast<int>(date.day))
      .time_since_epoch()
      .count();
}

Civil date_of(std::int64_t days) {
  std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  Civil civil;
  civil.year = int(date.year());
  civil.month = unsigned(date.month());
  civil.day = unsigned(date.day());
  return civil;
}

unsigned weekday(const Civil& date) {
  return static_cast<unsigned>(((days_of(date) + 3) % 7 + 7) % 7);
}

std::string date_text(const Civil& date) {
  return std::to_string(date.year) + "-" + two(static_cast<int>(date.month)) + "-" +
         two(static_cast<int>(date.day));
}

std::string stamp(const Zone& zone, std::int64_t s) {
  Civil c = local(zone, s);
  int offset = offset_at(zone, s), size = offset < 0 ? -offset : offset;
  return date_text(c) + " " + two(c.hour) + ":" + two(c.minute) + (offset < 0 ? "-" : "+") +
         two(size / 3600) + ":" + two(size / 60 % 60);
}

std::string date_words(const Civil& date) {
  return std::string(kDays[weekday(date)]) + " " + std::to_string(date.day) + " " +
         kMonths[date.month - 1] + " " + std::to_string(date.year);
}

}  // namespace wm::report
