// When a job is warned, and ended for its run limit.
#include "daemons/wshepherd/run_limit.h"

#include <gtest/gtest.h>

#include "test/support/moments.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;

using test::mono::at;

TEST(run_limit, warns_once_before_it_ends_once) {
  RunLimit limit;
  limit.start(at(10), seconds(60), seconds(20));
  EXPECT_EQ(limit.next(), at(50));
  EXPECT_FALSE(limit.takes_warning(at(49)));
  EXPECT_TRUE(limit.takes_warning(at(50)));
  EXPECT_FALSE(limit.takes_warning(at(51)));
  EXPECT_EQ(limit.next(), at(70));
  EXPECT_FALSE(limit.takes_end(at(69)));
  EXPECT_TRUE(limit.takes_end(at(70)));
  EXPECT_FALSE(limit.takes_end(at(71)));
  EXPECT_EQ(limit.next(), std::nullopt);
}

TEST(run_limit, without_a_limit_nothing_comes_not_even_a_warning) {
  RunLimit limit;
  limit.start(at(10), {}, seconds(20));
  EXPECT_EQ(limit.next(), std::nullopt);
  EXPECT_FALSE(limit.takes_warning(at(9999)));
  EXPECT_FALSE(limit.takes_end(at(9999)));
}

TEST(run_limit, without_a_lead_there_is_no_warning) {
  RunLimit limit;
  limit.start(at(10), seconds(60), {});
  EXPECT_FALSE(limit.takes_warning(at(9999)));
  EXPECT_EQ(limit.next(), at(70));
}

TEST(run_limit, a_longer_limit_warns_again_a_shorter_one_not_late) {
  RunLimit limit;
  limit.start(at(0), seconds(60), seconds(20));
  ASSERT_TRUE(limit.takes_warning(at(45)));
  limit.start(at(45), seconds(100), seconds(20));
  EXPECT_EQ(limit.next(), at(125));
  ASSERT_TRUE(limit.takes_warning(at(125)));
  limit.start(at(126), seconds(10), seconds(20));
  EXPECT_FALSE(limit.takes_warning(at(127)));
  EXPECT_EQ(limit.next(), at(136));
}

TEST(run_limit, whose_limit_is_near_when_it_is_set_is_warned_at_once) {
  RunLimit limit;
  limit.start(at(0), seconds(10), seconds(20));
  EXPECT_TRUE(limit.takes_warning(at(0)));
}

}  // namespace
}  // namespace wm::shepherd
