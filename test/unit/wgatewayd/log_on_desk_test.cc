// Role: log-ons of one address and user, asked one after another: what is asked, what is refused.
#include "daemons/wgatewayd/log_on_desk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace wm::gateway {
namespace {

using std::chrono::milliseconds;

Result<std::string> wrong() { return fail(Code::Denied, "wrong"); }

TEST(log_on_desk, of_many_guesses_at_once_five_are_asked_about) {
  LogOnDesk desk(Duration::zero());
  std::atomic<int> asked = 0, limited = 0;
  std::vector<std::thread> guesses;
  for (int i = 0; i < 40; ++i)
    guesses.emplace_back([&] {
      auto made = desk.log_on("10.0.0.1", "ann", [&] {
        ++asked;
        return wrong();
      });
      if (made.error().code == Code::Limit) ++limited;
    });
  for (auto& one : guesses) one.join();
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(limited, 35);
  EXPECT_TRUE(desk.is_first_refusal("10.0.0.1", "ann"));
  EXPECT_FALSE(desk.is_first_refusal("10.0.0.1", "ann"));
}

TEST(log_on_desk, a_refusal_that_waits_holds_no_turn_of_others) {
  LogOnDesk desk(milliseconds(300));
  auto begun = std::chrono::steady_clock::now();
  std::atomic<int> asked = 0;
  std::vector<std::thread> guesses;
  for (int i = 0; i < 30; ++i)  // more than have turns at once, each with a name of its own
    guesses.emplace_back([&, i] {
      (void)desk.log_on("10.0.0." + std::to_string(i), "u" + std::to_string(i), [&] {
        ++asked;
        return wrong();
      });
    });
  while (asked < 30) std::this_thread::yield();
  bool soon = std::chrono::steady_clock::now() - begun < milliseconds(300);
  for (auto& one : guesses) one.join();
  EXPECT_TRUE(soon) << "the last was asked about before the first refusal was answered";
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(300));
}

TEST(log_on_desk, who_waits_too_long_for_a_turn_is_told_to_come_again) {
  LogOnDesk desk(Duration::zero(), milliseconds(1));
  std::string inner;
  std::vector<Code> codes;
  std::function<Result<std::string>(int)> nested = [&](int depth) -> Result<std::string> {
    return desk.log_on("10.0.0.1", "ann", [&, depth]() -> Result<std::string> {
      if (depth < 6) {
        auto made = nested(depth + 1);
        codes.push_back(made ? Code::Ok : made.error().code);
      }
      return std::string("token");
    });
  };
  EXPECT_TRUE(nested(1));
  EXPECT_EQ(codes, (std::vector<Code>{Code::Limit, Code::Ok, Code::Ok, Code::Ok, Code::Ok}));
}

}  // namespace
}  // namespace wm::gateway
