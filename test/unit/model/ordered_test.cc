#include "libwm/model/ordered.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace wm {
namespace {

std::vector<int> all_of(const Ordered<int>& ordered, int from = -1) {
  std::vector<int> all;
  ordered.each_from(from, [&](int entry) {
    all.push_back(entry);
    return true;
  });
  return all;
}

TEST(ordered, is_a_set_whatever_is_put_in_and_taken_out) {
  std::mt19937 random(7);
  Ordered<int> ordered;
  std::set<int> set;
  for (int i = 0; i < 20000; ++i) {
    int n = static_cast<int>(random() % 5000);
    if (random() % 3) ordered.insert(n), set.insert(n);
    else ordered.erase(n), set.erase(n);
    if (i % 100 == 0) ordered.freeze();
  }
  EXPECT_EQ(ordered.size(), set.size());
  EXPECT_EQ(all_of(ordered), std::vector<int>(set.begin(), set.end()));
  EXPECT_EQ(all_of(ordered, 2500), std::vector<int>(set.lower_bound(2500), set.end()));
  for (int n = 0; n < 5000; ++n) EXPECT_EQ(ordered.find(n) != nullptr, set.contains(n));
}

TEST(ordered, a_frozen_copy_does_not_see_later_changes) {
  Ordered<int> ordered;
  for (int n = 0; n < 3000; n += 2) ordered.insert(n);
  auto frozen = ordered.freeze();
  auto before = all_of(frozen);
  for (int n = 1; n < 3000; n += 2) ordered.insert(n);
  for (int n = 0; n < 3000; n += 4) ordered.erase(n);
  EXPECT_EQ(all_of(frozen), before);
  EXPECT_EQ(ordered.size(), 2250u);
}

TEST(ordered, a_visit_ends_where_it_is_told_to) {
  Ordered<int> ordered;
  for (int n = 0; n < 2000; ++n) ordered.insert(n);
  int seen = 0;
  EXPECT_FALSE(ordered.each_from(700, [&](int) { return ++seen < 600; }));
  EXPECT_EQ(seen, 600);
  EXPECT_TRUE(ordered.each_from(2000, [](int) { return false; }));
}

}  // namespace
}  // namespace wm
