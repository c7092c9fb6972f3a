// Property: whatever the resizes, every sample of a data epoch is used in exactly one applied
// step, and no member is ever given more than batch_size samples at once.
#include "libwm/elastic/ledger.h"

#include <gtest/gtest.h>

#include <vector>

#include "libwm/elastic/batch.h"

namespace wm::elastic {
namespace {

struct Sizes {
  std::uint64_t batch_size;
  std::uint64_t effective;
};

/// Notes the samples of one applied step, member by member and bite by bite.
void use(const Ledger& ledger, const Take& step, const Sizes& sizes, std::uint64_t world,
         std::vector<int>& used) {
  for (std::uint64_t rank = 0; rank < world; ++rank) {
    Part local = part(step.count, world, rank);
    std::uint64_t n = bites(local.count, sizes.batch_size);
    for (std::uint64_t k = 0; k < n; ++k) {
      Part bite = part(local.count, n, k);
      ASSERT_LE(bite.count, sizes.batch_size);
      for (std::uint64_t i = 0; i < bite.count; ++i) {
        std::uint64_t at = step.at.next + local.first + bite.first + i;
        ++used[sample(ledger, step.at.data_epoch, at)];
      }
    }
  }
}

/// Trains one data epoch; the world changes at the first step at or after `resize_at`.
std::vector<int> train(const Ledger& ledger, const Sizes& sizes, std::uint64_t resize_at,
                       std::uint64_t before, std::uint64_t after) {
  std::vector<int> used(ledger.samples);
  for (Cursor cursor{5, 0}; cursor.data_epoch == 5;) {
    std::uint64_t world = cursor.next < resize_at ? before : after;
    Take step = take(ledger, cursor, global_batch(sizes.batch_size, sizes.effective, world));
    use(ledger, step, sizes, world, used);
    cursor = step.after;
  }
  return used;
}

TEST(ledger_prop, every_sample_once_with_a_resize_at_every_cursor_position) {
  for (std::uint64_t samples : {1, 2, 3, 13, 47, 97}) {
    Ledger ledger{samples, samples * 31, true};
    for (Sizes sizes : {Sizes{5, 0}, Sizes{3, 11}}) {
      for (std::uint64_t pair = 0; pair < 49; ++pair) {
        for (std::uint64_t at = 0; at <= samples; ++at) {
          auto used = train(ledger, sizes, at, 1 + pair / 7, 1 + pair % 7);
          ASSERT_EQ(used, std::vector<int>(samples, 1)) << samples << " samples, resize at " << at;
        }
      }
    }
  }
}

TEST(ledger_prop, a_step_redone_by_fewer_members_uses_the_same_samples) {
  Ledger ledger{97, 3, true};
  Take step = take(ledger, {0, 24}, 12);
  std::vector<int> by_four(97), by_three(97);
  use(ledger, step, {3, 12}, 4, by_four);
  use(ledger, step, {3, 12}, 3, by_three);
  EXPECT_EQ(by_four, by_three);
}

}  // namespace
}  // namespace wm::elastic
