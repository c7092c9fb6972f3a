// How often what does not die is killed again.
#include "daemons/wshepherd/kill_pace.h"

#include <gtest/gtest.h>

namespace wm::shepherd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(kill_pace, what_never_dies_is_tried_once_a_second_in_the_end) {
  KillPace pace;
  int rounds = 0;
  TimePoint now{};
  for (; now < TimePoint{} + seconds(600); now += milliseconds(1)) rounds += pace.is_due({7}, now);
  EXPECT_GE(rounds, 600);
  EXPECT_LE(rounds, 620);
  EXPECT_LE(pace.next() - now, KillPace::kLongest);
}

TEST(kill_pace, the_first_rounds_follow_each_other_closely) {
  KillPace pace;
  TimePoint now{};
  EXPECT_TRUE(pace.is_due({7, 8}, now));
  EXPECT_EQ(pace.next(), now + KillPace::kFirst);
  EXPECT_FALSE(pace.is_due({8, 7}, now + milliseconds(2)));
  EXPECT_TRUE(pace.is_due({8}, now + milliseconds(3)));
}

TEST(kill_pace, somebody_new_is_killed_at_once_and_begins_anew) {
  KillPace pace;
  TimePoint now{};
  for (int i = 0; i < 2000; ++i) pace.is_due({7}, now += milliseconds(10));
  EXPECT_TRUE(pace.is_due({7, 9}, now += milliseconds(1)));
  EXPECT_EQ(pace.next(), now + KillPace::kFirst);
}

}  // namespace
}  // namespace wm::shepherd
