#include "libwm/report/period.h"

#include <algorithm>
#include <cstdlib>

namespace wm::report {
namespace {

constexpr std::int64_t kHour = 3600;

std::int64_t midnight(const Zone& zone, std::int64_t days) { return instant(zone, date_of(days)); }

std::int64_t local_days(const Zone& zone, std::int64_t s) { return days_of(local(zone, s)); }

// Monday of the week of a day.
std::int64_t monday(std::int64_t days) { return days - weekday(date_of(days)); }

// "2026-W43": the year is that of the week's Thursday. @source ISO 8601
std::string week_name(std::int64_t days) {
  Civil thursday = date_of(monday(days) + 3);
  Civil first;
  first.year = thursday.year;
  auto week = (days_of(thursday) - days_of(first)) / 7 + 1;
  return std::to_string(thursday.year) + (week < 10 ? "-W0" : "-W") + std::to_string(week);
}

Period month_of(const Zone& zone, int year, unsigned month) {
  Civil first, next;
  first.year = year, first.month = month;
  next.year = month == 12 ? year + 1 : year, next.month = month == 12 ? 1 : month + 1;
  return {Kind::Month, date_text(first).substr(0, 7), instant(zone, first), instant(zone, next)};
}

Period days_from(Kind kind, const Zone& zone, std::int64_t days) {
  if (kind == Kind::Month) {
    Civil date = date_of(days);
    return month_of(zone, date.year, date.month);
  }
  if (kind == Kind::Day)
    return {kind, date_text(date_of(days)), midnight(zone, days), midnight(zone, days + 1)};
  auto first = monday(days);
  return {kind, week_name(days), midnight(zone, first), midnight(zone, first + 7)};
}

// Digits from `at` on; -1: none there, or not so many.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int n = 0;
  for (char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return -1;
    n = n * 10 + (c - '0');
  }
  return n;
}

Result<Civil> date_named(std::string_view text) {
  Civil date;
  date.year = digits(text, 0, 4);
  int month = digits(text, 5, 2), day = digits(text, 8, 2);
  bool shaped = text.size() == 10 && text[4] == '-' && text[7] == '-' && date.year >= 1970;
  if (!shaped || month < 1 || month > 12 || day < 1)
    return fail(Code::BadArgument, "'" + std::string(text) + "' is no date such as 2026-10-25");
  date.month = static_cast<unsigned>(month), date.day = static_cast<unsigned>(day);
  if (date_of(days_of(date)) != date)
    return fail(Code::BadArgument, "there is no " + std::string(text) + " in the calendar");
  return date;
}

Result<Period> week_named(std::string_view text, const Zone& zone) {
  int year = digits(text, 0, 4), week = digits(text, 6, 2);
  if (text.size() == 8 && text.substr(4, 2) == "-W" && year >= 1970 && week >= 1) {
    Civil fourth;
    fourth.year = year, fourth.day = 4;
    auto period = days_from(Kind::Week, zone, monday(days_of(fourth)) + 7 * (week - 1));
    if (period.name == text) return period;
  }
  return fail(Code::BadArgument, "'" + std::string(text) + "' is no week such as 2026-W43");
}

Result<Period> month_named(std::string_view text, const Zone& zone) {
  int year = digits(text, 0, 4), month = digits(text, 5, 2);
  if (text.size() == 7 && text[4] == '-' && year >= 1970 && month >= 1 && month <= 12)
    return month_of(zone, year, static_cast<unsigned>(month));
  return fail(Code::BadArgument, "'" + std::string(text) + "' is no month such as 2026-10");
}

// The next instant after `t` at which the local minute is 0.
std::int64_t next_hour(const Zone& zone, std::int64_t t) {
  auto left = [](std::int64_t there) { return kHour - (there % kHour + kHour) % kHour; };
  auto next = t + left(t + offset_at(zone, t));
  auto step = std::upper_bound(zone.steps.begin(), zone.steps.end(), t,
                               [](std::int64_t at, const auto& s) { return at < s.first; });
  if (step == zone.steps.end() || step->first > next) return next;
  auto after = left(step->first + step->second);
  return after == kHour ? step->first : step->first + after;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  return kind == Kind::Day ? "day" : kind == Kind::Week ? "week" : "month";
}

Period period_at(Kind kind, const Zone& zone, std::int64_t s) {
  return days_from(kind, zone, local_days(zone, s));
}

Period before(const Period& period, const Zone& zone) {
  return period_at(period.kind, zone, period.from - 1);
}

Result<Period> period_named(Kind kind, std::string_view text, const Zone& zone, std::int64_t now) {
  auto current = period_at(kind, zone, now);
  if (text == "this" || text == "today") return current;
  if (text == "last" || text == "yesterday") return before(current, zone);
  if (kind == Kind::Week) return week_named(text, zone);
  if (kind == Kind::Month) return month_named(text, zone);
  WM_TRY(auto date, date_named(text));
  return days_from(kind, zone, days_of(date));
}

Result<std::int64_t> instant_named(std::string_view text, const Zone& zone) {
  WM_TRY(auto civil, date_named(text.substr(0, 10)));
  if (text.size() > 10) {
    civil.hour = digits(text, 11, 2), civil.minute = digits(text, 14, 2);
    bool shaped = text.size() == 16 && (text[10] == ' ' || text[10] == 'T') && text[13] == ':';
    if (!shaped || civil.hour < 0 || civil.hour > 23 || civil.minute < 0 || civil.minute > 59)
      return fail(Code::BadArgument,
                  "'" + std::string(text) + "' is no time such as '2026-10-25 14:30'");
  }
  return instant(zone, civil);
}

std::int64_t hour_start(const Zone& zone, std::int64_t s) {
  auto t = s - 2 * kHour;
  for (auto next = next_hour(zone, t); next <= s; next = next_hour(zone, t)) t = next;
  return t;
}

std::vector<Hour> hours_of(const Zone& zone, std::int64_t from, std::int64_t to) {
  std::vector<Hour> hours;
  for (auto t = hour_start(zone, from); t < to;) {
    auto next = next_hour(zone, t);
    hours.push_back({t * 1000, (next - t) * 1000});
    t = next;
  }
  return hours;
}

std::string length_words(const Period& period, const Zone& zone) {
  auto length = period.to - period.from;
  auto text = std::to_string(length / kHour);
  if (length % kHour) text += ":" + std::to_string(length / 60 % 60);
  return text + " h, " + zone.name;
}

std::string period_words(const Period& period, const Zone& zone) {
  Civil first = local(zone, period.from), last = local(zone, period.to - kHour / 2);
  auto words = date_words(last);
  auto date = words.substr(words.find(' ') + 1);
  if (period.kind == Kind::Day) return date_words(first);
  if (period.kind == Kind::Month) return date.substr(date.find(' ') + 1);
  auto begin = date_words(first);
  begin = begin.substr(begin.find(' ') + 1);
  if (first.month == last.month) begin = std::to_string(first.day);
  else if (first.year == last.year) begin = begin.substr(0, begin.rfind(' '));
  return begin + " to " + date;
}

}  // namespace wm::report
