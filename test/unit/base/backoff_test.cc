// Pauses double up to their bound, differ a little, and begin anew after what went well.
#include "libwm/base/backoff.h"

#include <gtest/gtest.h>

#include <set>

#include "libwm/base/clock.h"

namespace wm {
namespace {

using namespace std::chrono_literals;

void expect_near(Duration pause, Duration wanted) {
  EXPECT_GE(pause, wanted * 9 / 10 - 1us);
  EXPECT_LE(pause, wanted * 11 / 10);
}

TEST(backoff, doubles_up_to_its_bound_and_stays_there) {
  Backoff tries(100ms, 1s, 7);
  for (auto wanted : {100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms, 1000ms})
    expect_near(tries.next(), wanted);
}

TEST(backoff, begins_anew_after_what_went_well) {
  Backoff tries(100ms, 1s, 7);
  for (int i = 0; i < 5; ++i) (void)tries.next();
  tries.reset();
  expect_near(tries.next(), 100ms);
  expect_near(tries.next(), 200ms);
}

TEST(backoff, a_seed_has_its_own_pauses_within_ten_per_cent) {
  std::set<Duration> firsts;
  Duration least = 1h, greatest{};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    auto pause = Backoff(1s, 1s, seed).next();
    EXPECT_EQ(pause, Backoff(1s, 1s, seed).next());
    firsts.insert(pause);
    least = std::min(least, pause);
    greatest = std::max(greatest, pause);
  }
  EXPECT_GT(firsts.size(), 900u);
  EXPECT_GE(least, 900ms - 1us);
  EXPECT_LE(greatest, 1100ms);
  EXPECT_LT(least, 920ms) << "all of the range is used";
  EXPECT_GT(greatest, 1080ms);
}

TEST(backoff, a_first_pause_beyond_the_bound_is_the_bound) {
  Backoff tries(5s, 1s, 7);
  expect_near(tries.next(), 1s);
  expect_near(tries.next(), 1s);
}

TEST(backoff, the_longest_bound_does_not_overflow) {
  Backoff tries(1h, Duration::max() / 2, 7);
  Duration before{};
  for (int i = 0; i < 100; ++i) {
    auto pause = tries.next();
    EXPECT_GT(pause, before / 2);
    before = pause;
  }
}

TEST(backoff, sleeps_for_the_pause) {
  auto begun = steady_now();
  Backoff(2ms, 2ms, 7).sleep();
  EXPECT_GE(steady_now() - begun, 1800us);
}

TEST(backoff_death, a_pause_of_nothing_is_a_mistake_of_ours) {
  EXPECT_DEATH(Backoff(0s, 1s, 7), "first");
}

}  // namespace
}  // namespace wm
