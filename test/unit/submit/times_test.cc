#include "libwm/submit/times.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

namespace wm::cmd {
namespace {

// 2026-11-20 07:44:30 in a zone without summer time.
class times : public ::testing::Test {
 protected:
  times() {
    ::setenv("TZ", "UTC0", 1);
    ::tzset();
  }
  static WallTime utc(std::int64_t seconds) { return WallTime(std::chrono::seconds(seconds)); }
  static constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400,
                                kMidnight = 1795132800;  // 2026-11-20
  WallTime now = utc(kMidnight + 7 * kHour + 44 * kMinute + 30);
  WallTime of(std::int64_t days, std::int64_t hour, std::int64_t minute) const {
    return utc(kMidnight + days * kDay + hour * kHour + minute * kMinute);
  }
};

TEST_F(times, a_date_is_the_next_such_moment) {
  EXPECT_EQ(*parse_date("8:00", now), of(0, 8, 0));
  EXPECT_EQ(*parse_date("7:44", now), of(1, 7, 44)) << "today's is over";
  EXPECT_EQ(*parse_date("25:6:05", now), of(5, 6, 5));
  EXPECT_EQ(*parse_date("19:6:05", now), of(29, 6, 5)) << "next month's";
  EXPECT_EQ(*parse_date("12:1:00:00", now), of(11, 0, 0));
  EXPECT_EQ(*parse_date("2026:11:20:07:45", now), of(0, 7, 45));
  EXPECT_EQ(*parse_date("2026:11:20:07:44", now), of(0, 7, 44)) << "a whole date is taken as it is";
}

TEST_F(times, what_is_no_date_is_refused) {
  for (auto text : {"", "8", "24:00", "8:60", "x:y", "8:00:", "32:8:00", "0:8:00", "13:1:8:00",
                    "1:2026:1:1:8:00", "8.00", "-1:00", "2026:2:30:8:00"}) {
    auto parsed = parse_date(text, now);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().text, std::string(text) + ": Bad time specification");
  }
}

TEST_F(times, a_range_has_two_ends_of_which_each_may_be_open) {
  auto range = parse_range("2026/11/18/06:00,2026/11/19/07:30", now);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->from, of(-2, 6, 0));
  EXPECT_EQ(range->to, of(-1, 7, 31)) << "the minute is included";
  EXPECT_EQ(parse_range("11/18,", now)->from, of(-2, 0, 0));
  EXPECT_EQ(parse_range("11/18,", now)->to, WallTime{});
  EXPECT_EQ(parse_range(",19", now)->to, of(0, 0, 0)) << "the day is included";
  EXPECT_EQ(parse_range(",.", now)->to, now);
  EXPECT_EQ(parse_range("18", now)->to, of(-1, 0, 0)) << "one day";
  EXPECT_EQ(parse_range("6:,7:00", now)->from, of(0, 6, 0));
}

TEST_F(times, what_is_no_range_is_refused) {
  for (auto text : {"x", "20,19", "11/18,11/17", "2026/13/1,", "2026/1/1/1/1,", "1:2:3,", ""})
    EXPECT_FALSE(parse_range(text, now)) << text;
}

}  // namespace
}  // namespace wm::cmd
