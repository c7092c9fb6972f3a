// What the master measures beside its events: plans' wishes over time, and when its clock was set.
#include "daemons/wmasterd/acct/meters.h"

#include <gtest/gtest.h>

#include "libwm/base/log.h"
#include "test/support/builders.h"
#include "test/support/store_files.h"

namespace wm::master {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kFar = 4'000'000'000;

PlanView view(std::uint32_t used, std::uint32_t demand, std::uint32_t deserved) {
  PlanView view;
  view.path = "/a", view.used = used, view.demand = demand, view.deserved = deserved;
  return view;
}

std::unique_ptr<store::MeterDb> read(const test::ScratchDir& dir) {
  return std::move(*store::MeterDb::read(dir.path()));
}

TEST(meters, what_a_plan_deserved_and_did_not_have_is_summed_over_time) {
  test::ScratchDir dir;
  auto meters = std::move(*Meters::open(dir.path(), minutes(1 << 20)));
  meters->take({view(0, 0, 0)}, test::at(0));
  meters->take({view(2, 9, 6)}, test::at(60));    // a minute long 4 were missing
  meters->take({view(2, 1, 6)}, test::at(120));   // asks for less than it has: none is missing
  meters->take({view(0, 9, 9)}, test::at(7200));  // nobody knows what was in between
  meters.reset();
  auto plans = read(dir)->plans(0, kFar).value();
  EXPECT_EQ(plans["/a"].used, (store::PlanMeter{120'000, 10 * 60'000, 12 * 60'000, 4 * 60'000}));
}

TEST(meters, a_clock_that_was_set_back_by_an_hour_is_kept) {
  log::open("meters", "", log::Level::Error);
  test::ScratchDir dir;
  auto meters = std::move(*Meters::open(dir.path(), minutes(1 << 20)));
  meters->take(ClockStepped{-std::chrono::hours(1)}, test::at(1.3));
  meters.reset();
  auto steps = read(dir)->steps(0, kFar).value();
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].step_us, -3'600'000'000);
}

}  // namespace
}  // namespace wm::master
