// When the cluster will be full, and when nobody can say.
#include "libwm/report/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "libwm/report/figures.h"

namespace wm::report {
namespace {

DayRatios days(int n, double from, double per_day, double weekend = 0, double noise = 0,
               unsigned seed = 7) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> around(-noise, noise);
  DayRatios made;
  for (int i = 0; i < n; ++i)
    made.emplace_back(20'000 + i, from + per_day * i - ((20'000 + i) % 7 < 2 ? weekend : 0) +
                                      (noise > 0 ? around(random) : 0));
  return made;
}

TEST(forecast, a_steady_rise_has_its_date_whatever_weekends_are) {
  auto made = forecast(days(90, 0.4, 0.002, 0.2, 0.005));
  EXPECT_TRUE(made.trend);
  EXPECT_NEAR(made.per_day, 0.002, 0.0002);
  auto day = 20'000 + static_cast<std::int64_t>((0.85 - 0.4) / 0.002);
  EXPECT_NEAR(static_cast<double>(made.full), static_cast<double>(day), 40);
  EXPECT_LE(made.earliest, made.full);
  EXPECT_GE(made.latest, made.full);
}

TEST(forecast, a_few_odd_days_do_not_bend_it) {
  auto all = days(90, 0.4, 0.002);
  for (std::size_t i = 10; i < 90; i += 17) all[i].second = 0;
  EXPECT_NEAR(forecast(all).per_day, 0.002, 0.0002);
}

TEST(forecast, too_few_days_or_none_that_rise_are_no_trend) {
  EXPECT_FALSE(forecast(days(27, 0.4, 0.01)).trend);
  int trends = 0;  // of noise alone one in five is to be expected
  for (unsigned seed = 1; seed <= 100; ++seed)
    trends += forecast(days(90, 0.4, 0, 0.1, 0.05, seed)).trend;
  EXPECT_LT(trends, 35);
  EXPECT_FALSE(forecast({}).trend);
  auto falls = forecast(days(90, 0.8, -0.002));
  EXPECT_TRUE(falls.trend);
  EXPECT_EQ(falls.full, 0);
}

TEST(forecast, its_figure_has_each_day_the_line_and_where_it_may_go) {
  Facts f;
  f.forecast = forecast(days(60, 0.4, 0.004));
  auto figures = figures_of(f);
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].id, "forecast");
  EXPECT_NE(figures[0].csv.find("day,ratio,trend,low,high\r\n"), std::string::npos);
  EXPECT_EQ(std::count(figures[0].csv.begin(), figures[0].csv.end(), '\n'), 1 + 60 + 29);
  EXPECT_NE(figures[0].script.find("85 with lines"), std::string::npos);
}

TEST(forecast, what_is_full_is_full_now) {
  auto made = forecast(days(60, 0.86, 0.0005));
  EXPECT_EQ(made.full, 20'059);
}

}  // namespace
}  // namespace wm::report
