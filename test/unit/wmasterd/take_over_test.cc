// Role: which event a take-over is.
#include "daemons/wmasterd/rim/take_over.h"

#include <gtest/gtest.h>

namespace wm::master {
namespace {

TEST(take_over, it_is_above_all_that_is_known) {
  store::Outranked words{"n1", {"bb", 2, Seq{900}, 12}, "root", "disk lost"};
  auto event = take_over_of(words, {"aa", 0, Seq{500}, 9}, 11);
  EXPECT_EQ(event.term, 3u);
  EXPECT_EQ(event.last_job, 12u);
  EXPECT_EQ(event.by, "root");
  EXPECT_EQ(event.why, "disk lost");
  EXPECT_EQ(take_over_of(words, {"aa", 7, Seq{500}, 20}, 11).term, 8u);
  EXPECT_EQ(take_over_of(words, {"aa", 7, Seq{500}, 20}, 30).last_job, 30u);
  EXPECT_TRUE(may_obey(words.met, {"aa", event.term, Seq{501}, 12}));
}

}  // namespace
}  // namespace wm::master
