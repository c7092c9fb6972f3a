// A loop that does not go on is found, and where it is.
#include "daemons/wmasterd/rim/watchdog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace wm::master {
namespace {

using namespace std::chrono_literals;

TEST(watchdog, tells_where_a_thread_is_that_does_not_go_on) {
  std::atomic<bool> told{false};
  std::vector<std::string> where;
  Watchdog dog(50ms, [&](Duration, const std::vector<std::string>& stack) {
    if (stack.empty()) return;  // this machine stood still
    where = stack;
    told = true;
  });
  auto until = std::chrono::steady_clock::now() + 30s;
  while (!told && std::chrono::steady_clock::now() < until) continue;
  ASSERT_TRUE(told);
  EXPECT_GE(where.size(), 3u);
  // the innermost call may be the kernel's clock
  EXPECT_TRUE(std::ranges::any_of(where, [](const auto& call) {
    return call.find("unit_wmasterd") != std::string::npos;
  })) << where.front();
}

TEST(watchdog, tells_a_stall_once) {
  std::atomic<int> told{0};
  Watchdog dog(50ms, [&](Duration, const std::vector<std::string>& stack) {
    if (!stack.empty()) ++told;
  });
  auto until = std::chrono::steady_clock::now() + 500ms;
  while (std::chrono::steady_clock::now() < until) continue;
  EXPECT_LE(told, 1);
}

}  // namespace
}  // namespace wm::master
