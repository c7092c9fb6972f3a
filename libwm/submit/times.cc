#include "libwm/submit/times.h"

#include <charconv>
#include <ctime>
#include <optional>
#include <vector>

#include "libwm/base/local_time.h"

namespace wm::cmd {
namespace {

Error bad(std::string_view text) {
  return fail(Code::BadArgument, std::string(text) + ": Bad time specification");
}

// None for what no calendar has: the C library would make 31 April the 1 May.
std::optional<WallTime> moment(std::tm parts) {
  parts.tm_isdst = -1;
  auto asked = parts;
  auto seconds = std::mktime(&parts);
  bool same = parts.tm_mon == asked.tm_mon && parts.tm_mday == asked.tm_mday;
  if (seconds < 0 || !same) return {};
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::from_time_t(seconds));
}

// Numbers between single separators; empty when the text is anything else.
std::vector<int> numbers(std::string_view text, char separator) {
  std::vector<int> found;
  for (;;) {
    int n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    auto used = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || n < 0) return {};
    found.push_back(n);
    if (used == text.size()) return found;
    if (text[used] != separator) return {};
    text.remove_prefix(used + 1);
  }
}

bool set_time(std::tm& parts, int hour, int minute) {
  parts.tm_hour = hour;
  parts.tm_min = minute;
  parts.tm_sec = 0;
  return hour < 24 && minute < 60;
}

// The last one to three of year, month, day.
bool set_day(std::tm& parts, const std::vector<int>& date) {
  auto n = date.size();
  if (n < 1 || n > 3) return false;
  parts.tm_mday = date[n - 1];
  if (n > 1) parts.tm_mon = date[n - 2] - 1;
  if (n > 2) parts.tm_year = date[0] - 1900;
  return parts.tm_mday >= 1 && parts.tm_mday <= 31 && parts.tm_mon >= 0 && parts.tm_mon < 12 &&
         (n < 3 || date[0] >= 1970);
}

// One end of a range. `last`: the end of the day or minute that is named.
Result<WallTime> parse_end(std::string_view text, WallTime now, bool last) {
  if (text.empty()) return bad(text);
  if (text == ".") return now;
  auto parts = local_parts(now);
  auto clock = text.rfind('/');
  auto time = text.substr(clock == text.npos ? 0 : clock + 1);
  bool has_time = time.find(':') != time.npos;
  set_time(parts, 0, 0);
  if (has_time) {
    bool hour_only = time.ends_with(':');
    auto words = numbers(hour_only ? time.substr(0, time.size() - 1) : time, ':');
    if (words.size() != (hour_only ? 1u : 2u)) return bad(text);
    if (!set_time(parts, words[0], hour_only ? 0 : words[1])) return bad(text);
  }
  auto date = has_time ? text.substr(0, clock == text.npos ? 0 : clock) : text;
  if (!date.empty() && !set_day(parts, numbers(date, '/'))) return bad(text);
  auto found = moment(parts);
  if (!found) return bad(text);
  if (!last) return *found;
  return *found + (has_time ? Duration(std::chrono::minutes(1)) : Duration(std::chrono::hours(24)));
}

}  // namespace

Result<WallTime> parse_date(std::string_view text, WallTime now) {
  auto words = numbers(text, ':');
  if (words.size() < 2 || words.size() > 5) return bad(text);
  auto parts = local_parts(now);
  std::vector<int> date(words.begin(), words.end() - 2);
  bool sound = set_time(parts, words[words.size() - 2], words.back());
  if (!date.empty()) sound = sound && set_day(parts, date);
  if (!sound) return bad(text);
  // The next one: tomorrow's, next month's, next year's when this one is over.
  for (int step = 0; step < 12; ++step) {
    auto found = moment(parts);
    if (found && *found > now) return *found;
    if (date.size() == 3) return found ? Result<WallTime>(*found) : bad(text);
    if (date.empty()) {
      ++parts.tm_mday;
      std::mktime(&parts);
    } else if (date.size() == 1) {
      parts.tm_year += parts.tm_mon == 11 ? 1 : 0;
      parts.tm_mon = (parts.tm_mon + 1) % 12;
    } else {
      ++parts.tm_year;
    }
  }
  return bad(text);
}

Result<TimeRange> parse_range(std::string_view text, WallTime now) {
  auto comma = text.find(',');
  TimeRange range;
  auto from = text.substr(0, comma);
  if (!from.empty()) {
    WM_TRY(range.from, parse_end(from, now, false));
  }
  if (comma == text.npos) {  // one day or minute
    WM_TRY(range.to, parse_end(from, now, true));
    return range;
  }
  auto to = text.substr(comma + 1);
  if (!to.empty()) {
    WM_TRY(range.to, parse_end(to, now, true));
  }
  if (!to.empty() && range.to <= range.from) return bad(text);
  return range;
}

}  // namespace wm::cmd
