#include "libwm/client/retry.h"

#include <gtest/gtest.h>

namespace wm::client {
namespace {

using namespace std::chrono_literals;

TEST(retry, delays_double_up_to_the_longest) {
  RetryPlan plan({.first_delay = 50ms, .longest_delay = 300ms, .give_up_after = {}});
  for (auto expected : {50ms, 100ms, 200ms, 300ms, 300ms}) {
    EXPECT_EQ(plan.next(0ms, 1.0)->delay, Duration(expected));
  }
}

TEST(retry, chance_halves_a_delay_at_most) {
  EXPECT_EQ(RetryPlan({.first_delay = 100ms, .give_up_after = {}}).next(0ms, 0.0)->delay,
            Duration(50ms));
}

TEST(retry, a_short_absence_is_not_mentioned_a_long_one_now_and_then) {
  RetryPlan plan({.notice_after = 1s, .notice_every = 10s, .give_up_after = {}});
  EXPECT_FALSE(plan.next(500ms, 0)->notice);
  EXPECT_TRUE(plan.next(1s, 0)->notice);
  EXPECT_FALSE(plan.next(2s, 0)->notice);
  EXPECT_FALSE(plan.next(10s, 0)->notice);
  EXPECT_TRUE(plan.next(11s, 0)->notice);
}

TEST(retry, gives_up_when_told_and_never_waits_beyond) {
  RetryPlan plan({.first_delay = 1s, .give_up_after = 3s});
  EXPECT_EQ(plan.next(2900ms, 1.0)->delay, Duration(100ms));
  EXPECT_FALSE(plan.next(3s, 1.0));
}

TEST(retry, never_gives_up_when_not_told) {
  RetryPlan plan({.give_up_after = {}});
  EXPECT_TRUE(plan.next(std::chrono::hours(1000), 1.0));
}

}  // namespace
}  // namespace wm::client
