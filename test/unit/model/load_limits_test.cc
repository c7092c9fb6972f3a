// Load thresholds: how they are written, and what they are measured by.
#include "libwm/model/load_limits.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

std::string limits_refusal(std::string_view text) {
  auto limits = parse_load_limits(text);
  return limits ? "accepted" : limits.error().text;
}

TEST(load_limits, have_a_threshold_to_start_and_one_to_stop_either_of_which_may_be_left_out) {
  auto limits = parse_load_limits("r1m=0.7/2.0 ut=90%, mem=500M/200M it=-/5");
  ASSERT_TRUE(limits) << limits.error().text;
  std::vector<LoadLimit> wanted{{"r1m", 0.7, 2.0},
                                {"ut", 0.9, {}},
                                {"mem", 500.0 * (1 << 20), 200.0 * (1 << 20)},
                                {"it", {}, 5.0}};
  EXPECT_EQ(*limits, wanted);
}

TEST(load_limits, are_shown_as_they_are_read) {
  const std::string text = "r1m=0.7/2 ut=0.9 mem=500M/200M it=-/5";
  EXPECT_EQ(show_load_limits(parse_load_limits(text).value()), text);
  EXPECT_EQ(show_load_limits({}), "");
}

TEST(load_limits, what_is_none_is_named) {
  EXPECT_EQ(limits_refusal("r2m=1"),
            "'r2m=1': INDEX=SCHED/STOP is wanted, of r15s r1m r15m ut it tmp swp mem");
  EXPECT_EQ(limits_refusal("r1m"),
            "'r1m': INDEX=SCHED/STOP is wanted, of r15s r1m r15m ut it tmp swp mem");
  EXPECT_EQ(limits_refusal("r1m=x"), "'x': is not a number");
  EXPECT_EQ(limits_refusal("r1m=-1"), "'-1': is not a number");
  EXPECT_EQ(limits_refusal("r1m=/"), "'r1m=/': neither of its two limits is given");
  EXPECT_EQ(limits_refusal("ut=70"), "'70': ut is at most 1, or 100%");
  EXPECT_EQ(limits_refusal("r1m=1 r1m=2"), "'r1m': is given twice");
  EXPECT_NE(limits_refusal("mem=5q"), "accepted");
}

TEST(load_limits, nothing_is_stopped_before_starting_stops) {
  EXPECT_EQ(limits_refusal("r1m=2/1"),
            "'r1m=2/1': jobs would be stopped before none is started: SCHED/STOP");
  EXPECT_NE(limits_refusal("mem=1G/2G"), "accepted");
  EXPECT_EQ(limits_refusal("mem=2G/1G"), "accepted");
}

TEST(load_limits, more_is_worse_but_of_what_is_free) {
  EXPECT_TRUE(is_beyond("r1m", 2.1, 2));
  EXPECT_FALSE(is_beyond("r1m", 2, 2));
  EXPECT_TRUE(is_beyond("tmp", 1, 2));
  EXPECT_TRUE(is_beyond("it", 4, 5));
  EXPECT_FALSE(is_beyond("it", 6, 5));
}

TEST(load_limits, a_host_is_measured_by_what_lsload_shows) {
  Measured host{3, {}, 4000};
  host.more.mem = Bytes{1 << 20};
  host.more.idle = std::chrono::minutes(7);
  EXPECT_EQ(load_value("r1m", host), 3.0);
  EXPECT_EQ(load_value("ut", host), 0.75);
  EXPECT_EQ(load_value("mem", host), double{1 << 20});
  EXPECT_EQ(load_value("it", host), 7.0);
  EXPECT_EQ(load_value("r15s", host), std::nullopt);  // not told
  EXPECT_EQ(load_value("pg", host), std::nullopt);
  EXPECT_EQ(show_load("mem", double{1 << 20}), "1M");
  EXPECT_EQ(show_load("r1m", 2.25), "2.25");
}

}  // namespace
}  // namespace wm
