// Windows of the week: how they are written, when they are open, when that changes.
#include "libwm/model/config/calendar.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

// Sunday 2026-11-22 00:00 UTC, and so many minutes after it.
WallTime week(std::int64_t minutes) {
  return WallTime(std::chrono::seconds(1795305600 + 60 * minutes));
}

WeekWindows windows(const char* text) { return *parse_windows(text); }

TEST(calendar, a_day_and_hours_or_hours_of_every_day) {
  EXPECT_EQ(windows("5:18:00-1:8:30"), (WeekWindows{{5 * 1440 + 1080, 1440 + 510}}));
  auto nights = windows("20:00-6:00");
  ASSERT_EQ(nights.size(), 7u);
  EXPECT_EQ(nights[6], (WeekWindow{6 * 1440 + 1200, 360}));
  EXPECT_EQ(windows("8-17")[0], (WeekWindow{480, 1020}));
  EXPECT_EQ(windows(" 1:8:00-1:9:00, 2:8:00-2:9:00 ").size(), 2u);
  EXPECT_TRUE(windows("").empty());
}

TEST(calendar, what_is_no_window_is_named) {
  for (const char* text : {"8", "8:00-", "25:00-3:00", "8:61-9:00", "9:8:00-1:0:00", "1:8:00-9:00",
                           "x-y", "8:00-9:00 -", "1:2:3:4-5"}) {
    auto made = parse_windows(text);
    ASSERT_FALSE(made) << text;
    EXPECT_NE(made.error().text.find("is no time window"), std::string::npos);
  }
}

TEST(calendar, is_shown_as_it_is_read) {
  for (const char* text : {"5:18:00-1:8:30", "20:00-6:00", "0:0:00-0:0:00"})
    EXPECT_EQ(windows(show_windows(windows(text)).c_str()), windows(text)) << text;
}

TEST(calendar, what_is_so_every_day_is_shown_once) {
  EXPECT_EQ(show_windows(windows("8-17 20:00-6:00 1:8:00-1:9:00")),
            "08:00-17:00 20:00-06:00 1:08:00-1:09:00");
  auto six = windows("8-17");
  six.pop_back();
  EXPECT_EQ(windows(show_windows(six).c_str()), six);
}

TEST(calendar, opens_and_closes_at_its_edges) {
  auto nights = windows("20:00-6:00");
  EXPECT_TRUE(is_open(nights, {}, week(0)));
  EXPECT_EQ(next_change(nights, {}, week(0)), week(360));
  EXPECT_FALSE(is_open(nights, {}, week(360)));
  EXPECT_EQ(next_change(nights, {}, week(361)), week(1200));
  EXPECT_TRUE(is_open(nights, {}, week(6 * 1440 + 1300)));
  EXPECT_EQ(next_change(nights, {}, week(6 * 1440 + 1300)), week(7 * 1440 + 360));
}

TEST(calendar, windows_that_touch_are_one) {
  auto both = windows("1:8:00-1:12:00 1:12:00-1:18:00");
  EXPECT_EQ(open_span(both, {}, week(1440 + 600)), (OpenSpan{week(1440 + 600), week(1440 + 1080)}));
  EXPECT_EQ(open_span(both, {}, week(0)), (OpenSpan{week(1440 + 480), week(1440 + 1080)}));
}

TEST(calendar, no_window_is_always_and_the_whole_week_never_changes) {
  EXPECT_TRUE(is_open({}, {}, week(77)));
  EXPECT_FALSE(next_change({}, {}, week(77)));
  EXPECT_FALSE(next_change(windows("0:0:00-0:0:00"), {}, week(77)));
  EXPECT_EQ(open_span(windows("0:0:00-0:0:00"), {}, week(77))->until, WallTime::max());
}

TEST(calendar, goes_by_what_clocks_show) {
  // An hour ahead, two from 02:00 of that Sunday on.
  std::int64_t base = 1795305600;
  ClockSteps clock = {{0, 3600}, {base + 3600, 7200}};
  EXPECT_EQ(week_minute(clock, week(0)), 60u);
  EXPECT_EQ(week_minute(clock, week(60)), 180u);
  auto morning = windows("0:6:00-0:7:00");
  EXPECT_EQ(next_change(morning, clock, week(0)), week(240));  // 06:00 there, 04:00 UTC
}

}  // namespace
}  // namespace wm
