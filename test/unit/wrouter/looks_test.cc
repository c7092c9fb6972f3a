// What a router does on its own at each look: failures of kernels that it hears of, its figures,
// how many kernels it says it wants, and who of several says it.
#include <gtest/gtest.h>

#include <mutex>

#include "test/unit/wrouter/router_rig.h"

namespace wm::router {
namespace {

/// How the newest kernel that never served has ended, for a router and the test.
class Failures {
 public:
  Notes notes() {
    return {0, 1, [](const std::string&) {}, nullptr,
            [this] {
              std::lock_guard hold(lock_);
              return newest_;
            }};
  }
  void set(WallTime at, const std::string& why) {
    std::lock_guard hold(lock_);
    newest_ = {at, why};
  }

 private:
  std::mutex lock_;
  KernelFailure newest_;  // Guarded by lock_.
};

constexpr const char* kWhy = "ModuleNotFoundError: No module named 'x'";

// A kernel that cannot import what it needs is not waited for until the time-out.
TEST(router_looks, who_asks_while_kernels_fail_is_told_why_at_once) {
  Failures failures;
  failures.set(wall_now() - std::chrono::minutes(5), "of an earlier start");
  Rig rig({}, failures.notes());
  auto asked = rig.ask("x");
  EXPECT_EQ(rig.first_wish(), 1u);
  EXPECT_EQ(asked.wait_for(300ms), std::future_status::timeout) << "that one does not count";
  failures.set(wall_now(), kWhy);
  auto answer = asked.get();
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("No module named 'x'"), std::string::npos) << answer.body;
}

TEST(router_looks, a_failure_is_told_to_those_who_ask_long_after_it_too) {
  Failures failures;
  Rig rig({}, failures.notes());
  ASSERT_TRUE(rig.wished(1, true));
  failures.set(wall_now(), kWhy);
  ASSERT_TRUE(rig.looked(4)) << "which want the same, and begin nothing anew";
  EXPECT_EQ(rig.ask("x").get().status, 503);
  ASSERT_TRUE(rig.looked(4));
  EXPECT_EQ(rig.ask("y").get().status, 503);
}

TEST(router_looks, what_fails_beside_a_kernel_that_serves_is_told_to_nobody) {
  Failures failures;
  Rig rig({}, failures.notes());
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  auto first = rig.ask("first"), second = rig.ask("second");
  auto batch = kernel.batch();
  failures.set(wall_now(), kWhy);
  ASSERT_TRUE(rig.looked(4));
  kernel.answer(batch, "");
  kernel.answer(kernel.batch(), "");
  EXPECT_EQ(first.get().status, 200);
  EXPECT_EQ(second.get().status, 200);
}

TEST(router_looks, what_failed_before_it_was_woken_from_no_kernel_counts_no_more) {
  Failures failures;
  serve::Policy policy;
  policy.kernel_min = 0;
  Rig rig(policy, failures.notes());
  ASSERT_TRUE(rig.wished(0, true));
  failures.set(wall_now(), kWhy);
  auto asked = rig.ask("wake up");
  EXPECT_EQ(asked.wait_for(300ms), std::future_status::timeout) << "the next one is waited for";
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  kernel.answer(kernel.batch(), "");
  EXPECT_EQ(asked.get().status, 200);
}

// Asks one thing after another, each of which is answered, until its rates are as wanted.
template <class Wanted>
bool rates_come(Rig& rig, Kernel* kernel, Wanted wanted) {
  for (auto end = steady_now() + kPatience; steady_now() < end;) {
    if (kernel != nullptr) {
      auto answer = rig.ask(std::string(1000, 'x'));
      kernel->answer(kernel->batch(), "");
      EXPECT_EQ(answer.get().status, 200);
    }
    auto state = rig.state();
    if (wanted(state["requests_per_s"].get<double>(), state["bytes_per_s"].get<double>()))
      return true;
  }
  return false;
}

TEST(router_looks, its_rates_are_those_since_the_look_before) {
  Rig rig;
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  EXPECT_TRUE(rates_come(rig, &kernel, [](double requests, double bytes) {
    return requests > 0 && bytes > requests * 1000 && bytes < requests * 4000;
  }));
  EXPECT_TRUE(rates_come(rig, nullptr, [](double requests, double bytes) {
    return requests == 0 && bytes == 0;
  })) << "nothing comes any more";
}

TEST(router_looks, a_sample_is_kept_each_two_seconds_and_shown_while_it_is_young_enough) {
  Rig rig;
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  auto answer = rig.ask("x");
  kernel.answer(kernel.batch(), "");
  EXPECT_EQ(answer.get().status, 200);
  Json samples;
  for (auto end = steady_now() + kPatience; samples.empty() && steady_now() < end;)
    samples = json_or_null(rig.router.series(60))["samples"];
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0]["answered"], 1);
  EXPECT_EQ(samples[0]["kernels"], 1);
  EXPECT_TRUE(json_or_null(rig.router.series(-60))["samples"].empty());
}

TEST(router_looks, the_first_of_several_routers_decides_from_the_start) {
  Board board;
  serve::Policy policy;
  policy.schedule_interval = std::chrono::hours(1);
  Rig first(policy, board.notes(0)), second(policy, board.notes(1));
  EXPECT_TRUE(first.wished(1, true));
  ASSERT_TRUE(board.has(1));
  second.state();
  std::lock_guard hold(second.lock);
  EXPECT_TRUE(second.wishes.empty());
}

TEST(router_looks, the_next_router_decides_once_the_first_one_says_nothing_any_more) {
  Board board;
  Rig second({}, board.notes(1));
  EXPECT_TRUE(second.wished(1, true));
}

}  // namespace
}  // namespace wm::router
