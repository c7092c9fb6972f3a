#include "libwm/elastic/batch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wm::elastic {
namespace {

TEST(batch, parts_cover_the_whole_and_differ_by_at_most_one) {
  for (std::uint64_t whole = 0; whole <= 40; ++whole) {
    for (std::uint64_t parts = 1; parts <= 9; ++parts) {
      std::uint64_t at = 0;
      for (std::uint64_t i = 0; i < parts; ++i) {
        Part p = part(whole, parts, i);
        ASSERT_EQ(p.first, at);
        ASSERT_LE(p.count - whole / parts, 1u);
        at += p.count;
      }
      ASSERT_EQ(at, whole) << parts << " parts";
    }
  }
}

TEST(batch, a_short_last_step_leaves_the_last_ranks_without_samples) {
  EXPECT_EQ(part(2, 4, 1), (Part{1, 1}));
  EXPECT_EQ(part(2, 4, 3), (Part{2, 0}));
}

TEST(batch, an_effective_batch_size_stays_whatever_the_world) {
  EXPECT_EQ(global_batch(32, 128, 1), 128u);
  EXPECT_EQ(global_batch(32, 128, 7), 128u);
  EXPECT_EQ(global_batch(32, 0, 7), 224u);
}

TEST(batch, no_bite_exceeds_the_batch_size) {
  for (std::uint64_t share = 1; share <= 100; ++share) {
    for (std::uint64_t size = 1; size <= 33; ++size) {
      std::uint64_t n = bites(share, size);
      ASSERT_LE(part(share, n, 0).count, size);
      ASSERT_GE(part(share, n, n - 1).count, 1u);
    }
  }
  EXPECT_EQ(bites(0, 8), 0u);
}

}  // namespace
}  // namespace wm::elastic
