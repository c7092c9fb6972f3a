// The tree by which a launch spreads over hosts.
#include "libwm/base/fan_out.h"

#include <gtest/gtest.h>

#include <set>

namespace wm {
namespace {

using Places = std::vector<std::uint32_t>;

TEST(fan_out, few_places_are_a_star) {
  FanOut tree{33, 32};
  EXPECT_EQ(tree.children(0).size(), 32u);
  EXPECT_EQ(tree.depth(), 1u);
  EXPECT_TRUE(tree.children(1).empty());
}

TEST(fan_out, one_place_has_nobody_to_speak_to) {
  FanOut alone{1, 32};
  EXPECT_EQ(alone.parent(0), 0u);
  EXPECT_TRUE(alone.children(0).empty());
  EXPECT_EQ(alone.next_hop(0, 0), 0u);
  EXPECT_EQ(alone.depth(), 0u);
}

TEST(fan_out, every_place_has_one_parent_that_knows_it) {
  for (std::uint32_t width : {1u, 2u, 3u, 32u})
    for (std::uint32_t count : {1u, 2u, 5u, 34u, 100u}) {
      FanOut tree{count, width};
      std::multiset<std::uint32_t> seen;
      for (std::uint32_t place = 0; place < count; ++place)
        for (auto child : tree.children(place)) {
          EXPECT_EQ(tree.parent(child), place);
          seen.insert(child);
        }
      EXPECT_EQ(seen.size(), count - 1);
      EXPECT_EQ(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), count - 1);
    }
}

TEST(fan_out, hops_lead_to_the_place_by_neighbours) {
  FanOut tree{50, 3};
  for (std::uint32_t from = 0; from < 50; ++from)
    for (std::uint32_t to = 0; to < 50; ++to) {
      std::uint32_t hops = 0;
      for (auto at = from; at != to; ++hops) {
        auto next = tree.next_hop(at, to);
        EXPECT_TRUE(tree.parent(next) == at || tree.parent(at) == next);
        at = next;
        ASSERT_LE(hops, 2 * tree.depth());
      }
    }
}

TEST(fan_out, a_thousand_hosts_are_two_steps_away) {
  FanOut tree{1000, 32};
  EXPECT_EQ(tree.depth(), 2u);
  EXPECT_EQ(tree.children(1),
            (Places{33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
                    49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64}));
  EXPECT_TRUE(tree.is_below(40, 1));
  EXPECT_FALSE(tree.is_below(40, 2));
}

TEST(fan_out, shares_are_nearly_equal_and_leave_nobody_out) {
  EXPECT_EQ(shares(7, 3), (std::vector<Share>{{0, 3}, {3, 2}, {5, 2}}));
  EXPECT_EQ(shares(2, 32), (std::vector<Share>{{0, 1}, {1, 1}}));
  EXPECT_EQ(shares(5, 1), (std::vector<Share>{{0, 5}}));
  EXPECT_TRUE(shares(0, 32).empty());
  for (std::uint32_t count : {1u, 31u, 33u, 100u, 1025u}) {
    std::uint32_t next = 0;
    for (const auto& share : shares(count, 32)) {
      EXPECT_EQ(share.first, next);
      EXPECT_GE(share.count, count / 32);
      EXPECT_LE(share.count, count / 32 + 1);
      next += share.count;
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace wm
