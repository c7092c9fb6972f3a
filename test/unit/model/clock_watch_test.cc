// When the wall clock counts as set, and how long deeds wait for it.
#include "libwm/model/clock_watch.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using namespace std::chrono_literals;

/// Two clocks that go alike until somebody sets one.
struct Clocks {
  ClockWatch watch;
  Duration passed{}, set{};
  ClockReading now() const { return {test::at(0) + passed + set, TimePoint(5h + passed)}; }
  Duration look() { return watch.look(now()); }
  bool holds() const { return watch.holds(now().boot); }
  void pass(Duration time) { passed += time; }
  Duration step(Duration by) {
    set += by;
    return look();
  }
  Clocks() { look(); }
};

TEST(clock_watch, a_clock_that_only_goes_has_not_stepped) {
  Clocks c;
  for (int i = 0; i < 100; ++i) {
    c.pass(250ms);
    c.set += 125us;  // made faster, as ntpd does
    EXPECT_EQ(c.look(), 0s);
  }
  c.pass(8h);  // asleep, or stopped: both went on
  EXPECT_EQ(c.look(), 0s);
  EXPECT_EQ(c.watch.steps_s(), 0);
}

TEST(clock_watch, a_step_is_told_once_in_whole_seconds) {
  Clocks c;
  c.pass(10s);
  EXPECT_EQ(c.step(86400s + 300ms), 86400s);
  EXPECT_EQ(c.look(), 0s);
  EXPECT_EQ(c.step(-2700ms), -2s);
  EXPECT_EQ(c.step(900ms), 0s);
  EXPECT_NEAR(c.watch.steps_s(), 86403, 0.01);
}

TEST(clock_watch, the_first_look_tells_nothing) {
  ClockWatch watch;
  EXPECT_EQ(watch.look({test::at(1e6), TimePoint(1s)}), 0s) << "a master that was down";
  EXPECT_FALSE(watch.holds(TimePoint(1s)));
}

TEST(clock_watch, deeds_wait_five_minutes_after_a_step_of_more_than_one) {
  Clocks c;
  EXPECT_EQ(c.step(59s), 59s);
  EXPECT_FALSE(c.holds());
  c.step(2h);
  EXPECT_TRUE(c.holds());
  c.pass(5min - 1s);
  EXPECT_TRUE(c.holds());
  c.pass(1s);
  EXPECT_FALSE(c.holds());
}

TEST(clock_watch, a_step_that_is_taken_back_ends_the_wait) {
  Clocks c;
  c.step(24h);
  c.pass(6s);
  c.step(-24h + 3s);
  EXPECT_FALSE(c.holds());
}

TEST(clock_watch, a_clock_that_is_set_all_the_time_holds_nothing_for_more_than_five_minutes) {
  Clocks c;
  Duration waited{};
  for (int i = 0; i < 6 * 60; ++i) {
    c.step(i % 7 < 3 ? 2h : -30min);
    waited += c.holds() ? 10s : 0s;
    c.pass(10s);
  }
  EXPECT_LE(waited, 5min);
  EXPECT_GE(waited, 4min);
  c.pass(1h);
  c.step(2h);
  EXPECT_TRUE(c.holds()) << "after an hour without a step it may wait again";
}

TEST(clock_watch, somebody_who_trusts_the_clock_ends_the_wait) {
  Clocks c;
  c.step(-24h);
  c.pass(1min);
  c.watch.trust(c.now().boot);
  EXPECT_FALSE(c.holds());
  c.watch.trust(c.now().boot);
  c.step(1h);
  EXPECT_TRUE(c.holds()) << "of this one nobody has said anything";
  c.pass(4min);
  EXPECT_FALSE(c.holds()) << "a minute of the allowance is used";
}

}  // namespace
}  // namespace wm
