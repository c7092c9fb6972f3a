// Role: hosts that are not configured and want to join.
#include "daemons/wmasterd/hosts/strangers.h"

#include <gtest/gtest.h>

namespace wm::master {
namespace {

using namespace std::chrono_literals;
constexpr TimePoint kStart{};

TEST(strangers, are_told_once_and_shown_while_they_knock) {
  Strangers strangers;
  EXPECT_TRUE(strangers.knocked("b", "10.0.0.2", kStart));
  EXPECT_FALSE(strangers.knocked("b", "10.0.0.2", kStart + 2s));
  EXPECT_TRUE(strangers.knocked("a", "", kStart + 2s));
  EXPECT_EQ(strangers.present(kStart + 3s), (std::vector<Stranger>{{"a", ""}, {"b", "10.0.0.2"}}));
  EXPECT_TRUE(strangers.present(kStart + 3s + kStrangerKept).empty());
  EXPECT_TRUE(strangers.knocked("b", "10.0.0.2", kStart + 1h)) << "it was away";
}

TEST(strangers, one_that_has_joined_is_none) {
  Strangers strangers;
  strangers.knocked("a", "", kStart);
  strangers.joined("a");
  EXPECT_TRUE(strangers.present(kStart).empty());
}

TEST(strangers, names_without_end_take_no_more_than_the_bound) {
  Strangers strangers;
  strangers.knocked("oldest", "", kStart);
  for (std::size_t i = 1; i < 3 * kMostStrangers; ++i)
    strangers.knocked("h" + std::to_string(i), "", kStart + Duration(static_cast<std::int64_t>(i)));
  auto present = strangers.present(kStart + 1s);
  EXPECT_EQ(present.size(), kMostStrangers);
  EXPECT_NE(present.back().name, "oldest");
}

}  // namespace
}  // namespace wm::master
