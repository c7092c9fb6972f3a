#include "libwm/base/units.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace wm {
namespace {

// Splits "1.5GB" into 1.5 and "gb"; false when it does not start with a finite number >= 0.
bool split_number(std::string_view text, double& number, std::string& unit) {
  auto [p, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc() || !std::isfinite(number) || number < 0) return false;
  for (; p != text.data() + text.size(); ++p)
    unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*p)));
  return true;
}

Error bad(std::string_view text, std::string_view expected) {
  return fail(Code::BadArgument, "'" + std::string(text) + "' is not " + std::string(expected));
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text, Bytes unit) {
  double number = 0;
  std::string suffix;
  const Error error = bad(text, "a size such as 512M or 16G");
  if (!split_number(text, number, suffix)) return error;
  double scale = static_cast<double>(unit.value);
  if (!suffix.empty()) {
    if (suffix.size() > 1 && suffix.back() == 'b') suffix.pop_back();
    static constexpr std::string_view kUnits = "bkmgtp";
    auto power = suffix.size() == 1 ? kUnits.find(suffix[0]) : std::string_view::npos;
    if (power == std::string_view::npos) return error;
    scale = std::pow(1024.0, static_cast<double>(power));
  }
  double value = number * scale;
  if (value >= 9.2e18) return error;
  return Bytes{static_cast<std::int64_t>(std::llround(value))};
}

std::string format_bytes(Bytes bytes) {
  static constexpr std::array<const char*, 6> kUnits = {"", "K", "M", "G", "T", "P"};
  auto value = static_cast<double>(bytes.value);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  auto tenths = std::llround(value * 10);
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
  return text + kUnits[unit];
}

Result<Duration> parse_duration(std::string_view text) {
  double number = 0;
  std::string unit;
  const Error error = bad(text, "a duration such as 250ms, 10s, 5m, 2h or 1d");
  if (!split_number(text, number, unit)) return error;
  double us = 0;
  if (unit == "us") us = 1;
  else if (unit == "ms") us = 1e3;
  else if (unit.empty() || unit == "s") us = 1e6;
  else if (unit == "m" || unit == "min") us = 60e6;
  else if (unit == "h") us = 3600e6;
  else if (unit == "d") us = 86400e6;
  else return error;
  if (number * us >= 9.2e18) return error;
  return Duration(std::llround(number * us));
}

std::string format_duration(Duration d) {
  struct Unit {
    std::int64_t us;
    const char* name;
  };
  static constexpr std::array<Unit, 6> kUnits = {{{86400000000, "d"},
                                                  {3600000000, "h"},
                                                  {60000000, "m"},
                                                  {1000000, "s"},
                                                  {1000, "ms"},
                                                  {1, "us"}}};
  if (d.count() == 0) return "0s";
  for (auto unit : kUnits)
    if (d.count() % unit.us == 0) return std::to_string(d.count() / unit.us) + unit.name;
  return std::to_string(d.count()) + "us";
}

Result<Duration> parse_run_limit(std::string_view text) {
  const Error error = bad(text, "a run limit such as 90, 1:30 or 0:30:00");
  std::vector<double> parts;
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(':', at), text.size());
    double number = 0;
    std::string rest;
    if (!split_number(text.substr(at, end - at), number, rest) || !rest.empty()) return error;
    parts.push_back(number);
    at = end + 1;
  }
  double minutes = 0;
  if (parts.size() == 1) minutes = parts[0];
  else if (parts.size() == 2) minutes = parts[0] * 60 + parts[1];
  else if (parts.size() == 3) minutes = parts[0] * 60 + parts[1] + parts[2] / 60;
  else return error;
  if (minutes > 1e9) return error;
  return Duration(std::llround(minutes * 60e6));
}

double epoch_seconds(WallTime t) { return static_cast<double>(t.time_since_epoch().count()) / 1e6; }

}  // namespace wm
