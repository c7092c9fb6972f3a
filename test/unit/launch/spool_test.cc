// What tasks' output may take of a host's run folder, by its size and the host's slots.
#include "libwm/launch/spool.h"

#include <gtest/gtest.h>

namespace wm::launch {
namespace {

constexpr std::uint64_t kGiB = 1u << 30;

TEST(spool, all_slots_together_leave_seven_eighths_to_the_daemons) {
  for (std::uint64_t capacity : {kGiB / 4, 2 * kGiB, 25 * kGiB})
    for (std::uint32_t slots : {1u, 2u, 64u, 200u})
      EXPECT_LE(spool_limit(capacity, slots) * 2 * slots, capacity / 8) << capacity << " " << slots;
}

TEST(spool, a_large_folder_keeps_no_more_than_bpeek_can_use) {
  EXPECT_EQ(spool_limit(1000 * kGiB, 4), kMostSpool);
  EXPECT_EQ(spool_limit(0, 4), kMostSpool) << "a size that is not known";
}

TEST(spool, a_tiny_folder_still_keeps_the_newest_lines) {
  EXPECT_EQ(spool_limit(1 << 20, 500), 64u << 10);
  EXPECT_EQ(spool_limit(1, 0), 64u << 10);
}

TEST(spool, what_jobs_write_themselves_leaves_a_half_and_each_has_something) {
  for (std::uint64_t capacity : {8 * kGiB, 25 * kGiB})
    for (std::uint32_t slots : {1u, 2u, 64u})
      EXPECT_EQ(folder_share(capacity, slots), capacity / 2 / slots);
  EXPECT_EQ(folder_share(kGiB, 64), 64u << 20);
  EXPECT_EQ(folder_share(0, 0), 64u << 20);
  EXPECT_EQ(folder_share(kGiB, 0), kGiB / 2);
}

}  // namespace
}  // namespace wm::launch
