#include "libwm/elastic/ledger.h"

#include <gtest/gtest.h>

#include <vector>

namespace wm::elastic {
namespace {

std::vector<std::uint64_t> order_of(const Ledger& ledger, std::uint64_t data_epoch) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t i = 0; i < ledger.samples; ++i) order.push_back(sample(ledger, data_epoch, i));
  return order;
}

bool is_permutation(const std::vector<std::uint64_t>& order) {
  std::vector<bool> seen(order.size());
  for (auto s : order) {
    if (s >= order.size() || seen[s]) return false;
    seen[s] = true;
  }
  return true;
}

TEST(ledger, every_order_is_a_permutation) {
  for (std::uint64_t n = 1; n <= 300; ++n) {
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      ASSERT_TRUE(is_permutation(order_of({n, 42, true}, epoch))) << n << " samples";
    }
  }
}

TEST(ledger, orders_differ_by_data_epoch_and_by_seed) {
  Ledger ledger{1797, 7, true};
  EXPECT_EQ(order_of(ledger, 3), order_of(ledger, 3));
  EXPECT_NE(order_of(ledger, 3), order_of(ledger, 4));
  EXPECT_NE(order_of(ledger, 3), order_of({1797, 8, true}, 3));
}

TEST(ledger, an_order_is_the_same_on_every_build_and_host) {
  std::vector<std::uint64_t> expected{12, 4, 3, 6, 9, 8, 2, 1, 5, 0, 7, 11, 10};
  EXPECT_EQ(order_of({13, 1, true}, 0), expected);
}

TEST(ledger, without_shuffle_samples_come_in_their_own_order) {
  EXPECT_EQ(order_of({5, 9, false}, 2), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(ledger, early_positions_are_spread_over_the_data_set) {
  Ledger ledger{60000, 3, true};
  double sum = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) sum += static_cast<double>(sample(ledger, 0, i));
  EXPECT_NEAR(sum / 1000, 30000, 3 * 17320 / 31.6);  // three standard errors of a uniform mean
}

TEST(ledger, a_take_stops_at_the_end_of_the_data_epoch) {
  EXPECT_EQ(take({10, 1, true}, {2, 8}, 4), (Take{{2, 8}, 2, {3, 0}, true}));
  EXPECT_EQ(take({10, 1, true}, {2, 4}, 4), (Take{{2, 4}, 4, {2, 8}, false}));
  EXPECT_EQ(take({10, 1, true}, {0, 6}, 4), (Take{{0, 6}, 4, {1, 0}, true}));
}

TEST(ledger, augmentation_follows_the_sample_and_not_its_position) {
  Ledger ledger{100, 5, true};
  EXPECT_EQ(augmentation_seed(ledger, 1, 17), augmentation_seed({100, 5, false}, 1, 17));
  EXPECT_NE(augmentation_seed(ledger, 1, 17), augmentation_seed(ledger, 2, 17));
  EXPECT_NE(augmentation_seed(ledger, 1, 17), augmentation_seed(ledger, 1, 18));
}

}  // namespace
}  // namespace wm::elastic
