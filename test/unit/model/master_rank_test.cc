// Role: which of two masters a host obeys, and how attempts of terms are numbered.
#include "libwm/model/master_rank.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

MasterRank rank(const char* store, std::uint32_t term, std::uint64_t seq) {
  return {store, term, Seq{seq}, 0};
}

TEST(master_rank, a_host_that_obeyed_nobody_obeys_anybody) {
  EXPECT_TRUE(may_obey({}, rank("a", 0, 0)));
  EXPECT_TRUE(may_obey({}, {}));  // a master of an earlier version
}

TEST(master_rank, the_same_store_may_only_go_on) {
  EXPECT_TRUE(may_obey(rank("a", 1, 10), rank("a", 1, 10)));
  EXPECT_TRUE(may_obey(rank("a", 1, 10), rank("a", 1, 11)));
  EXPECT_FALSE(may_obey(rank("a", 1, 10), rank("a", 1, 9)));
}

TEST(master_rank, another_store_of_the_same_term_is_refused_however_new) {
  EXPECT_FALSE(may_obey(rank("a", 0, 10), rank("b", 0, 1000)));
  EXPECT_FALSE(may_obey(rank("a", 0, 10), {}));
}

TEST(master_rank, a_higher_term_is_obeyed_and_a_lower_one_never) {
  EXPECT_TRUE(may_obey(rank("a", 1, 10), rank("b", 2, 3)));
  EXPECT_TRUE(may_obey(rank("a", 1, 10), rank("a", 2, 3)));
  EXPECT_FALSE(may_obey(rank("a", 2, 3), rank("a", 1, 10)));
}

TEST(master_rank, attempts_of_a_term_are_above_those_of_the_term_before) {
  EXPECT_EQ(next_attempt(0, Attempt{}), Attempt{1});
  EXPECT_EQ(next_attempt(0, Attempt{4}), Attempt{5});
  EXPECT_EQ(next_attempt(2, Attempt{4}), Attempt{2001});
  EXPECT_EQ(next_attempt(2, Attempt{2001}), Attempt{2002});
}

TEST(master_rank, attempts_before_count_within_the_term) {
  EXPECT_EQ(attempts_before(Attempt{}), 0u);
  EXPECT_EQ(attempts_before(Attempt{1}), 0u);
  EXPECT_EQ(attempts_before(Attempt{3}), 2u);
  EXPECT_EQ(attempts_before(Attempt{2001}), 0u);
  EXPECT_EQ(attempts_before(Attempt{2003}), 2u);
}

}  // namespace
}  // namespace wm
