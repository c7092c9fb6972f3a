#include "libwm/report/forecast.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wm::report {
namespace {

constexpr std::size_t kLeast = 28;
constexpr double kTenYears = 3653;

double median(std::vector<double> of) {
  if (of.empty()) return 0;
  std::sort(of.begin(), of.end());
  auto half = of.size() / 2;
  return of.size() % 2 ? of[half] : (of[half - 1] + of[half]) / 2;
}

// Each day as if all weekdays were alike.
std::vector<double> levelled(const DayRatios& days) {
  std::array<std::vector<double>, 7> by_weekday;
  std::vector<double> all;
  for (const auto& [day, ratio] : days) {
    by_weekday[static_cast<std::size_t>(day % 7)].push_back(ratio);
    all.push_back(ratio);
  }
  auto middle = median(all);
  std::vector<double> made;
  for (const auto& [day, ratio] : days)
    made.push_back(ratio - median(by_weekday[static_cast<std::size_t>(day % 7)]) + middle);
  return made;
}

std::int64_t reached(std::int64_t from, double ratio, double slope, double line) {
  if (ratio >= line) return from;
  if (slope <= 0 || (line - ratio) / slope > kTenYears) return 0;
  return from + static_cast<std::int64_t>(std::ceil((line - ratio) / slope));
}

}  // namespace

Forecast forecast(const DayRatios& days, double line) {
  Forecast made;
  made.days = days.size(), made.of = days;
  if (days.size() < kLeast) return made;
  auto level = levelled(days);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < days.size(); ++i)
    for (std::size_t j = i + 1; j < days.size(); ++j)
      if (days[j].first != days[i].first)
        slopes.push_back((level[j] - level[i]) /
                         static_cast<double>(days[j].first - days[i].first));
  std::sort(slopes.begin(), slopes.end());
  auto n = static_cast<double>(days.size()), all = static_cast<double>(slopes.size());
  auto wide = 1.2816 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);  // 80 %
  auto at = [&](double place) {
    auto last = slopes.size() - 1;
    return slopes[std::min(last, static_cast<std::size_t>(std::max(0.0, place)))];
  };
  made.per_day = median(slopes);
  made.low = at((all - wide) / 2);
  made.high = at((all + wide) / 2);
  made.trend = made.low > 0 || made.high < 0;
  std::vector<double> rests;
  auto last = days.back().first;
  for (std::size_t i = 0; i < days.size(); ++i)
    rests.push_back(level[i] + made.per_day * static_cast<double>(last - days[i].first));
  made.ratio = median(rests);
  if (!made.trend) return made;
  made.full = reached(last, made.ratio, made.per_day, line);
  made.earliest = reached(last, made.ratio, made.high, line);
  made.latest = reached(last, made.ratio, made.low, line);
  return made;
}

}  // namespace wm::report
