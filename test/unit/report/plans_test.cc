// What plans own, use, borrow and lend, swept over the slots that their jobs hold.
#include "libwm/report/plans.h"

#include <gtest/gtest.h>

#include <random>

namespace wm::report {
namespace {

constexpr std::int64_t kHour = 3'600'000'000;
const std::vector<Hour> kHours = {{0, 3'600'000}, {3'600'000, 3'600'000}};

std::map<std::string, PlanAmounts> sums(PlanFold& fold) {
  std::map<std::string, PlanAmounts> all;
  for (const auto& row : fold.finish()) all[row.plan] += row.amounts;
  return all;
}

TEST(plans, what_siblings_leave_idle_is_borrowed) {
  PlanFold fold(kHours, 2 * kHour);
  fold.add_conf("/a", 0, 0, 2);
  fold.add_conf("/b", 0, 0, 6);
  fold.add_use("/a", 0, kHour, 3000);
  auto all = sums(fold);
  EXPECT_EQ(all["/a"].owned, 2 * 7'200'000);
  EXPECT_EQ(all["/a"].used, 3 * 3'600'000);
  EXPECT_EQ(all["/a"].borrowed, 3'600'000);
  EXPECT_EQ(all["/b"].lent, 3'600'000);
  EXPECT_EQ(all["/a"].beyond, 0);
}

TEST(plans, what_nobody_owns_is_not_borrowed) {
  PlanFold fold(kHours, 2 * kHour);
  fold.add_conf("/a", 0, 0, 2);
  fold.add_conf("/b", 0, 0, 1);
  fold.add_use("/a", 0, kHour, 5000);
  auto all = sums(fold);
  EXPECT_EQ(all["/a"].borrowed, 3'600'000);
  EXPECT_EQ(all["/a"].beyond, 2 * 3'600'000);
}

TEST(plans, a_plan_has_what_those_below_it_have) {
  PlanFold fold(kHours, 2 * kHour);
  fold.add_use("/a/b", 0, kHour, 1000);
  fold.add_use("/a", kHour / 2, kHour, 1000);
  auto all = sums(fold);
  EXPECT_EQ(all["/a"].used, 5'400'000);
  EXPECT_EQ(all["/a/b"].used, 3'600'000);
  EXPECT_EQ(all["/"].used, 5'400'000);
}

TEST(plans, as_much_is_borrowed_as_is_lent_and_hours_add_up) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    PlanFold whole(kHours, 2 * kHour), first({kHours[0]}, 2 * kHour),
        second({kHours[1]}, 2 * kHour);
    for (const char* plan : {"/a", "/b", "/c"}) {
      auto owns = below(8);
      for (auto* fold : {&whole, &first, &second}) fold->add_conf(plan, 0, 0, owns);
    }
    for (int i = 0; i < 30; ++i) {
      const char* plan = std::array{"/a", "/b", "/c"}[static_cast<std::size_t>(below(3))];
      auto start = below(2 * kHour), end = start + below(kHour);
      for (auto* fold : {&whole, &first, &second}) fold->add_use(plan, start, end, 1000);
    }
    auto all = sums(whole), one = sums(first), two = sums(second);
    EXPECT_EQ(all["/a"].borrowed + all["/b"].borrowed + all["/c"].borrowed,
              all["/a"].lent + all["/b"].lent + all["/c"].lent);
    for (const char* plan : {"/", "/a", "/b", "/c"}) {
      one[plan] += two[plan];
      EXPECT_EQ(one[plan], all[plan]) << "seed " << seed << " " << plan;
    }
  }
}

}  // namespace
}  // namespace wm::report
