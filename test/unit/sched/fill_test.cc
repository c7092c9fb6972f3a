// Role: fill_fairly and fill_in_order on cases small enough to check by hand.
#include "libwm/sched/shares/fill.h"

#include <gtest/gtest.h>

namespace wm::sched {
namespace {

using Amounts = std::vector<Units>;

Portion upto(Units high, std::int64_t weight = 1) { return {0, high, weight, 0, 0, 0}; }

TEST(fill, equal_weights_get_equal_amounts) {
  EXPECT_EQ(fill_fairly(std::vector{upto(4), upto(4)}, 4), (Amounts{2, 2}));
}

TEST(fill, weights_one_to_three) {
  EXPECT_EQ(fill_fairly(std::vector{upto(8, 1), upto(8, 3)}, 8), (Amounts{2, 6}));
}

TEST(fill, what_one_cannot_use_goes_to_the_others_by_weight) {
  EXPECT_EQ(fill_fairly(std::vector{upto(1, 1), upto(90, 1), upto(90, 2)}, 31),
            (Amounts{1, 10, 20}));
}

TEST(fill, a_low_above_the_fair_share_is_kept_and_the_rest_shared) {
  std::vector<Portion> portions{{6, 10, 1, 0, 0, 0}, upto(10), upto(10)};
  EXPECT_EQ(fill_fairly(portions, 10), (Amounts{6, 2, 2}));
}

TEST(fill, lows_are_granted_even_beyond_the_capacity) {
  std::vector<Portion> portions{{3, 5, 1, 0, 0, 0}, {2, 5, 1, 0, 0, 0}};
  EXPECT_EQ(fill_fairly(portions, 1), (Amounts{3, 2}));
  EXPECT_EQ(fill_in_order(portions, 1), (Amounts{3, 2}));
}

TEST(fill, no_more_than_highs_are_granted) {
  EXPECT_EQ(fill_fairly(std::vector{upto(3), upto(5)}, 100), (Amounts{3, 5}));
  EXPECT_EQ(fill_in_order(std::vector{upto(3), upto(5)}, 100), (Amounts{3, 5}));
}

TEST(fill, where_nobody_grows_for_a_while_the_next_one_goes_on) {
  // One is full at 10 when the other still has its low of 20: nothing is left to share until then.
  std::vector<Portion> portions{upto(10), {20, 40, 1, 0, 0, 0}};
  EXPECT_EQ(fill_fairly(portions, 30), (Amounts{10, 20}));
  EXPECT_EQ(fill_fairly(portions, 31), (Amounts{10, 21}));
}

TEST(fill, the_odd_unit_goes_to_the_largest_remainder) {
  // quotas 10/7 and 60/7: remainders 3/7 and 4/7
  EXPECT_EQ(fill_fairly(std::vector{upto(99, 1), upto(99, 6)}, 10), (Amounts{1, 9}));
}

TEST(fill, the_odd_unit_stays_where_it_is) {
  std::vector<Portion> portions{{0, 9, 1, 1, 0, 1}, {0, 9, 1, 2, 0, 2}};
  EXPECT_EQ(fill_fairly(portions, 3), (Amounts{1, 2}));
}

TEST(fill, the_odd_unit_goes_by_rank_then_submit_order) {
  std::vector<Portion> by_sequence{{0, 9, 1, 0, 0, 8}, {0, 9, 1, 0, 0, 7}};
  EXPECT_EQ(fill_fairly(by_sequence, 3), (Amounts{1, 2}));
  std::vector<Portion> by_rank{{0, 9, 1, 0, 1, 7}, {0, 9, 1, 0, 0, 8}};
  EXPECT_EQ(fill_fairly(by_rank, 3), (Amounts{1, 2}));
}

TEST(fill, in_order_the_first_is_served_up_to_its_high) {
  std::vector<Portion> portions{{0, 9, 1, 0, 0, 8}, {1, 5, 1, 0, 0, 7}, {1, 9, 1, 0, 2, 1}};
  EXPECT_EQ(fill_in_order(portions, 8), (Amounts{2, 5, 1}));
}

TEST(fill, large_amounts_do_not_overflow) {
  std::vector<Portion> portions{upto(kNoLimit, 1'000'000), upto(kNoLimit, 999'999)};
  auto amounts = fill_fairly(portions, kNoLimit);
  EXPECT_EQ(amounts[0] + amounts[1], kNoLimit);
  EXPECT_EQ(amounts[0] - amounts[1], 500'000);
}

TEST(fill, nothing_to_fill_is_no_error) {
  EXPECT_TRUE(fill_fairly({}, 5).empty());
  EXPECT_TRUE(fill_in_order({}, 5).empty());
}

}  // namespace
}  // namespace wm::sched
