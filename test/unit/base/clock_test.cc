// Each clock says what the system's own says, and none but the wall clock can go back.
#include "libwm/base/clock.h"

#include <gtest/gtest.h>

#include <fstream>

namespace wm {
namespace {

TEST(clock, the_wall_clock_is_the_systems) {
  auto before = std::time(nullptr);
  auto wall = wall_now();
  auto seconds = now_s();
  auto after = std::time(nullptr);
  EXPECT_GE(wall, WallTime(std::chrono::seconds(before)));
  EXPECT_LT(wall, WallTime(std::chrono::seconds(after + 1)));
  EXPECT_GE(seconds, before - 1);  // time() may be a tick behind, or before
  EXPECT_LE(seconds, after + 1);
}

TEST(clock, those_that_never_step_never_go_back) {
  auto steady = steady_now();
  auto boot = boot_now();
  for (int i = 0; i < 1000; ++i) {
    auto next = steady_now();
    EXPECT_LE(steady, next);
    steady = next;
    auto next_boot = boot_now();
    EXPECT_LE(boot, next_boot);
    boot = next_boot;
  }
}

TEST(clock, the_boot_clock_is_that_of_proc_uptime) {
  double up = -1;
  auto before = std::chrono::duration<double>(boot_now().time_since_epoch()).count();
  std::ifstream("/proc/uptime") >> up;
  auto after = std::chrono::duration<double>(boot_now().time_since_epoch()).count();
  if (up < 0) GTEST_SKIP() << "this machine has no /proc/uptime";
  if (up < before - 60) GTEST_SKIP() << "/proc/uptime is a container's own";
  EXPECT_GE(up, before - 0.02);  // it has two decimals
  EXPECT_LE(up, after + 0.02);
}

}  // namespace
}  // namespace wm
