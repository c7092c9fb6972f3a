// A suspended job's time stands.
#include "daemons/wshepherd/job_clock.h"

#include <gtest/gtest.h>

#include "test/support/moments.h"

namespace wm::shepherd {
namespace {

using test::mono::at;

TEST(job_clock, time_that_it_stood_is_not_the_jobs) {
  JobClock clock;
  EXPECT_EQ(clock.at(at(10)), at(10));
  clock.stop(at(20));
  EXPECT_EQ(clock.at(at(50)), at(20));
  clock.go(at(60));
  EXPECT_EQ(clock.at(at(61)), at(21));
}

TEST(job_clock, a_second_stop_or_go_changes_nothing) {
  JobClock clock;
  clock.go(at(5));
  clock.stop(at(20));
  clock.stop(at(30));
  clock.go(at(40));
  clock.go(at(45));
  EXPECT_EQ(clock.at(at(50)), at(30));
}

TEST(job_clock, its_times_come_later_by_what_it_stood_and_never_while_it_stands) {
  JobClock clock;
  EXPECT_EQ(clock.steady(at(30)), at(30));
  clock.stop(at(20));
  EXPECT_TRUE(clock.stopped());
  EXPECT_EQ(clock.steady(at(30)), std::nullopt);
  clock.go(at(27));
  EXPECT_FALSE(clock.stopped());
  EXPECT_EQ(clock.steady(at(30)), at(37));
}

}  // namespace
}  // namespace wm::shepherd
