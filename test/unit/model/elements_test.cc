#include "libwm/model/elements.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

using Ranges = std::vector<IndexRange>;

TEST(elements, ranges_that_lie_apart_stay_as_they_are) {
  const Ranges apart{{20, 30, 5}, {1, 1, 1}, {5, 9, 2}};
  EXPECT_EQ(each_once(apart), apart);
  EXPECT_EQ(each_once({}), Ranges{});
}

TEST(elements, an_index_that_is_named_twice_is_there_once) {
  EXPECT_EQ(each_once({{1, 3, 1}, {2, 5, 1}}), (Ranges{{1, 5, 1}}));
  EXPECT_EQ(each_once({{3, 3, 1}, {7, 7, 1}, {3, 3, 1}}), (Ranges{{3, 7, 4}}));
  EXPECT_EQ(each_once({{1, 9, 2}, {2, 10, 2}}), (Ranges{{1, 10, 1}}));
  EXPECT_EQ(each_once({{1, 10, 3}, {1, 4, 1}}), (Ranges{{1, 4, 1}, {7, 10, 3}}));
}

TEST(elements, the_highest_index_there_is_ends_a_range) {
  EXPECT_EQ(each_once({{4294967290, 4294967295, 2}, {4294967295, 4294967295, 1}}),
            (Ranges{{4294967290, 4294967294, 2}, {4294967295, 4294967295, 1}}));
}

TEST(elements, they_are_counted_as_they_are_named) {
  EXPECT_EQ(element_count(Ranges{{1, 7, 3}, {1, 1, 1}}), 4u);
  EXPECT_EQ(element_count(Ranges{{5, 1, 1}}), 0u);
}

}  // namespace
}  // namespace wm
