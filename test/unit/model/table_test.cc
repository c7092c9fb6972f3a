#include "libwm/model/table.h"

#include <gtest/gtest.h>

#include <string>

namespace wm {
namespace {

TEST(table, a_frozen_copy_does_not_see_later_changes) {
  Table<std::string> table;
  table.set(7, "before");
  auto frozen = table.freeze();
  table.edit(7) = "after";
  table.set(8, "new");
  EXPECT_EQ(*frozen.find(7), "before");
  EXPECT_EQ(frozen.find(8), nullptr);
  EXPECT_EQ(*table.find(7), "after");
}

TEST(table, changes_between_two_freezes_do_not_reach_the_first) {
  Table<int> table;
  table.set(1, 10);
  auto first = table.freeze();
  table.edit(1) = 11;
  auto second = table.freeze();
  table.edit(1) = 12;
  EXPECT_EQ(*first.find(1), 10);
  EXPECT_EQ(*second.find(1), 11);
  EXPECT_EQ(*table.find(1), 12);
}

TEST(table, an_object_is_copied_once_between_two_freezes) {
  Table<int> table;
  table.set(1, 10);
  auto held = table.freeze();
  int* first = &table.edit(1);
  *first = 11;
  EXPECT_EQ(&table.edit(1), first);  // in place from now on
  auto later = table.freeze();
  EXPECT_NE(&table.edit(1), first);
  EXPECT_EQ(*held.find(1), 10);
  EXPECT_EQ(*later.find(1), 11);
}

TEST(table, a_plain_copy_and_its_original_do_not_see_each_others_changes) {
  Table<int> table;
  table.set(1, 10);
  table.set(2, 20);
  auto copy = table;
  copy.edit(1) = 11;
  table.edit(1) = 12;
  table.edit(2) = 22;
  EXPECT_EQ(*copy.find(1), 11);
  EXPECT_EQ(*copy.find(2), 20);
  EXPECT_EQ(*table.find(1), 12);
}

TEST(table, visits_in_rising_order_over_chunks) {
  Table<int> table;
  for (std::uint32_t n : {600u, 3u, 256u}) table.set(n, static_cast<int>(n));
  std::vector<std::uint32_t> seen;
  table.each([&](std::uint32_t n, int) { seen.push_back(n); });
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{3, 256, 600}));
}

TEST(table, purging_old_objects_keeps_the_rest_reachable) {
  Table<int> table;
  constexpr std::uint32_t kMany = 100 * Table<int>::kChunk;
  for (std::uint32_t n = 1; n <= kMany; ++n) table.set(n, static_cast<int>(n));
  for (std::uint32_t n = 1; n < kMany; ++n) table.erase(n);
  EXPECT_EQ(*table.find(kMany), static_cast<int>(kMany));
  EXPECT_EQ(table.find(1), nullptr);
  table.set(1, 5);  // an old number again
  EXPECT_EQ(*table.find(1), 5);
  EXPECT_EQ(*table.find(kMany), static_cast<int>(kMany));
}

}  // namespace
}  // namespace wm
