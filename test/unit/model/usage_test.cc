// Role: decayed use: grows while something is held, halves every half-life, and is the same
// however often it was looked at in between.
#include "libwm/model/usage.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

WallTime at(int s) { return WallTime(seconds(s)); }

UsageAccount holding(std::int64_t slots) {
  UsageAccount account{"/", "ann", {}, {}, at(0)};
  charge(account, {slots, slots * 2000, Bytes{std::int64_t{3} << 30}}, at(0), hours(1));
  return account;
}

TEST(usage, what_is_held_is_charged_as_time_goes) {
  auto account = holding(2);
  Used used = used_at(account, at(10), hours(1000));
  EXPECT_NEAR(used.slots, 20, 0.01);
  EXPECT_NEAR(used.gpus, 40, 0.01);
  EXPECT_NEAR(used.mem, 30, 0.01);
}

TEST(usage, half_of_it_is_forgotten_in_a_half_life) {
  auto account = holding(2);
  charge(account, {-2, -4000, Bytes{-(std::int64_t{3} << 30)}}, at(60), hours(1));
  double at_end = account.used.slots;
  EXPECT_NEAR(used_at(account, at(60 + 3600), hours(1)).slots, at_end / 2, 1e-9);
  EXPECT_EQ(account.held, Held{});
}

TEST(usage, looking_in_between_changes_nothing) {
  auto once = holding(4), often = holding(4);
  for (int s = 1; s < 100; ++s) charge(often, {}, at(s), hours(1));
  charge(once, {}, at(99), hours(1));
  EXPECT_NEAR(once.used.slots, often.used.slots, 1e-6);
}

TEST(usage, a_clock_that_goes_back_charges_nothing_and_forgets_nothing) {
  auto account = holding(1);
  charge(account, {}, at(50), hours(1));
  Used before = account.used;
  charge(account, {}, at(20), hours(1));
  EXPECT_EQ(account.used, before);
  EXPECT_EQ(account.as_of, at(50));
}

TEST(usage, without_a_half_life_nothing_is_remembered) {
  EXPECT_EQ(used_at(holding(3), at(100), Duration{}), Used{});
}

TEST(usage, what_a_job_holds_adds_up_undecayed) {
  Holding holding;
  charge(holding, {2, 4000, {}}, at(10));
  charge(holding, {1, 0, {}}, at(20));
  charge(holding, {-3, -4000, {}}, at(50));
  charge(holding, {1, 500, {}}, at(90));
  charge(holding, {-1, -500, {}}, at(100));
  EXPECT_EQ(holding, (Holding{0, 0, 3, 4000, seconds(20 + 90 + 10), seconds(4 * 40 + 5), at(100)}));
}

TEST(usage, many_gpus_for_long_do_not_overflow) {
  Holding holding;
  charge(holding, {20'000, 20'000'500, {}}, at(0));
  charge(holding, {}, at(100 * 86'400));
  EXPECT_EQ(holding.gpu_time, seconds(std::int64_t{100} * 86'400) * 20'000 + hours(100 * 12));
}

TEST(usage, a_job_is_not_charged_for_what_was_never_counted_nor_by_a_clock_that_goes_back) {
  Holding holding;
  charge(holding, {-2, -1000, {}}, at(10));
  EXPECT_EQ(holding.slots, 0u);
  charge(holding, {1, 0, {}}, at(20));
  charge(holding, {-1, 0, {}}, at(15));
  EXPECT_EQ(holding.slot_time, Duration{});
  EXPECT_EQ(holding.as_of, at(20));
}

}  // namespace
}  // namespace wm
