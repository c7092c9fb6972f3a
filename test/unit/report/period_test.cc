// Hours, days, weeks and months where clocks change, and where they begin at odd minutes.
#include "libwm/report/period.h"

#include <gtest/gtest.h>

#include "test/support/golden_day.h"

namespace wm::report {
namespace {

using test::berlin;
using test::kGoldenDay;

const Zone kKolkata{"Asia/Kolkata", {{0, 19800}}};
// 2026-04-04T15:00Z: from +11:00 to +10:30.
const Zone kLordHowe{"Australia/Lord_Howe", {{0, 39600}, {1775314800, 37800}}};

TEST(period, a_day_in_autumn_has_25_hours) {
  auto day = period_at(Kind::Day, berlin(), kGoldenDay + 7200);
  EXPECT_EQ(day.name, "2026-10-25");
  EXPECT_EQ(day.from, kGoldenDay);
  EXPECT_EQ(day.to - day.from, 90'000);
  EXPECT_EQ(hours_of(berlin(), day.from, day.to).size(), 25u);
  EXPECT_EQ(length_words(day, berlin()), "25 h, Europe/Berlin");
  EXPECT_EQ(period_words(day, berlin()), "Sunday 25 October 2026");
}

TEST(period, a_day_in_spring_has_23_hours) {
  auto day = period_named(Kind::Day, "2026-03-29", berlin(), 0);
  EXPECT_EQ(day->to - day->from, 82'800);
  EXPECT_EQ(hours_of(berlin(), day->from, day->to).size(), 23u);
}

TEST(period, the_same_hour_of_the_clock_twice_is_told_apart_by_its_offset) {
  EXPECT_EQ(stamp(berlin(), kGoldenDay + 7200), "2026-10-25 02:00+02:00");
  EXPECT_EQ(stamp(berlin(), kGoldenDay + 10800), "2026-10-25 02:00+01:00");
}

TEST(period, hours_begin_where_the_local_minute_is_0) {
  auto hours = hours_of(kKolkata, 0, 7200);
  EXPECT_EQ(hours.front().start, -1'800'000);
  EXPECT_EQ(hours[1].start, 1'800'000);
}

TEST(period, an_hour_may_have_90_minutes) {
  std::int64_t change = 1775314800;
  auto hours = hours_of(kLordHowe, change - 3600, change + 7200);
  ASSERT_GE(hours.size(), 2u);
  EXPECT_EQ(hours[0].len, 5'400'000);
  EXPECT_EQ(hours[1].len, 3'600'000);
}

TEST(period, hours_follow_one_another_without_gap) {
  for (const auto& zone : {berlin(), kKolkata, kLordHowe}) {
    auto hours = hours_of(zone, 1772300000, 1793900000);
    for (std::size_t i = 1; i < hours.size(); ++i)
      ASSERT_EQ(hours[i].start, hours[i - 1].end()) << zone.name << " " << i;
  }
}

TEST(period, weeks_begin_on_monday_and_belong_to_their_thursdays_year) {
  auto week = period_named(Kind::Week, "2026-W53", berlin(), 0);
  ASSERT_TRUE(week);
  EXPECT_EQ(stamp(berlin(), week->from), "2026-12-28 00:00+01:00");
  EXPECT_EQ(period_at(Kind::Week, berlin(), week->to - 1).name, "2026-W53");
  EXPECT_EQ(period_at(Kind::Week, berlin(), kGoldenDay).name, "2026-W43");
  EXPECT_FALSE(period_named(Kind::Week, "2025-W53", berlin(), 0));
  EXPECT_EQ(period_words(*week, berlin()), "28 December 2026 to 3 January 2027");
}

TEST(period, months_differ_by_the_hour_of_the_clock_change) {
  auto month = period_named(Kind::Month, "2026-10", berlin(), 0);
  EXPECT_EQ((month->to - month->from) / 3600, 745);
  EXPECT_EQ(period_words(*month, berlin()), "October 2026");
  EXPECT_EQ(before(*month, berlin()).name, "2026-09");
}

TEST(period, a_leap_day_is_a_day) {
  EXPECT_TRUE(period_named(Kind::Day, "2028-02-29", berlin(), 0));
  EXPECT_FALSE(period_named(Kind::Day, "2026-02-29", berlin(), 0));
}

TEST(period, last_and_this_are_seen_from_now) {
  EXPECT_EQ(period_named(Kind::Day, "yesterday", berlin(), kGoldenDay)->name, "2026-10-24");
  EXPECT_EQ(period_named(Kind::Month, "last", berlin(), kGoldenDay)->name, "2026-09");
  EXPECT_EQ(period_named(Kind::Day, "this", berlin(), kGoldenDay)->name, "2026-10-25");
}

TEST(period, what_is_no_date_is_refused) {
  for (const char* text : {"", "2026-13-01", "2026-1-01", "2026-10-25x", "2026/10/25", "99", "-1"})
    EXPECT_FALSE(period_named(Kind::Day, text, berlin(), 0)) << text;
  EXPECT_FALSE(instant_named("2026-10-25 25:00", berlin()));
  EXPECT_EQ(*instant_named("2026-10-25 14:30", berlin()), kGoldenDay + 15 * 3600 + 1800);
}

}  // namespace
}  // namespace wm::report
