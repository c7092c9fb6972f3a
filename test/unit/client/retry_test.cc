#include "libwm/client/retry.h"

#include <gtest/gtest.h>

namespace wm::client {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSeed = 1;

TEST(retry, delays_double_up_to_the_longest_a_little_off) {
  RetryPlan plan({.first_delay = 50ms, .longest_delay = 300ms, .give_up_after = {}}, kSeed);
  for (Duration expected : {50ms, 100ms, 200ms, 300ms, 300ms}) {
    auto delay = plan.next(0ms)->delay;
    EXPECT_GE(delay, expected * 9 / 10);
    EXPECT_LE(delay, expected * 11 / 10);
  }
}

TEST(retry, clients_that_failed_at_once_come_back_apart) {
  RetryOptions options{.give_up_after = {}};
  EXPECT_NE(RetryPlan(options, 1).next(0ms)->delay, RetryPlan(options, 2).next(0ms)->delay);
}

TEST(retry, a_short_absence_is_not_mentioned_a_long_one_now_and_then) {
  RetryPlan plan({.notice_after = 1s, .notice_every = 10s, .give_up_after = {}}, kSeed);
  EXPECT_FALSE(plan.next(500ms)->notice);
  EXPECT_TRUE(plan.next(1s)->notice);
  EXPECT_FALSE(plan.next(2s)->notice);
  EXPECT_FALSE(plan.next(10s)->notice);
  EXPECT_TRUE(plan.next(11s)->notice);
}

TEST(retry, gives_up_when_told_and_never_waits_beyond) {
  RetryPlan plan({.first_delay = 1s, .give_up_after = 3s}, kSeed);
  EXPECT_EQ(plan.next(2900ms)->delay, Duration(100ms));
  EXPECT_FALSE(plan.next(3s));
}

TEST(retry, never_gives_up_when_not_told) {
  RetryPlan plan({.give_up_after = {}}, kSeed);
  EXPECT_TRUE(plan.next(std::chrono::hours(1000)));
}

}  // namespace
}  // namespace wm::client
