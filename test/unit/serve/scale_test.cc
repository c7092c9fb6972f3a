// Role: how many kernels a load asks for: steady under a constant one, at once from zero, and back
// in time.
#include "libwm/serve/scale.h"

#include <gtest/gtest.h>

#include <random>

#include "test/support/moments.h"

namespace wm::serve {
namespace {

using test::mono::at;

Policy policy(std::uint32_t least, std::uint32_t most) {
  Policy p;
  p.kernel_min = least;
  p.kernel_max = most;
  return p;
}

/// A queue and its kernels, second by second.
struct Plant {
  Scale scale;
  Policy policy;
  double cost;
  std::uint64_t arrived = 0;
  double open = 0;
  std::int64_t now = 0;

  Plant(const Policy& p, double seconds) : scale(p), policy(p), cost(seconds) {}

  std::uint32_t pass(double rate) {
    for (int i = 0; i < 3; ++i, ++now) {
      arrived += static_cast<std::uint64_t>(rate);
      open = std::max(0.0, open + rate - scale.wanted() / cost);
    }
    Load load;
    load.arrived = arrived;
    double busy = std::min<double>(scale.wanted(), std::max(rate * cost, open));
    load.in_flight = static_cast<std::size_t>(busy);
    load.queued = static_cast<std::size_t>(open);
    load.kernels = scale.wanted();
    load.task_cost = Duration(static_cast<std::int64_t>(cost * 1e6));
    return scale.look(load, at(now));
  }
};

TEST(scale, the_first_request_at_zero_is_answered_at_once) {
  Scale scale(policy(0, 10));
  Load load;
  EXPECT_EQ(scale.wake(load, at(0)), 0u);
  load.queued = load.arrived = 1;
  EXPECT_EQ(scale.wake(load, at(0)), 1u);
  EXPECT_EQ(scale.look(load, at(1)), 1u);
}

TEST(scale, grows_with_the_load_to_its_maximum_and_comes_back_after_the_delay) {
  Plant plant(policy(1, 5), 0.1);
  EXPECT_EQ(plant.pass(0), 1u);
  for (int i = 0; i < 20; ++i) plant.pass(20);  // two kernels' work
  EXPECT_GE(plant.scale.wanted(), 3u);
  for (int i = 0; i < 20; ++i) plant.pass(500);
  EXPECT_EQ(plant.scale.wanted(), 5u);
  plant.open = 0;
  for (int i = 0; i < 19; ++i) EXPECT_EQ(plant.pass(0), 5u);
  for (int i = 0; i < 5; ++i) plant.pass(0);
  EXPECT_EQ(plant.scale.wanted(), 1u);
}

TEST(scale, goes_to_zero_when_idle_and_stays_while_somebody_asks) {
  Plant plant(policy(0, 5), 0.001);
  for (int i = 0; i < 40; ++i) plant.pass(1);
  EXPECT_EQ(plant.scale.wanted(), 1u);
  for (int i = 0; i < 25; ++i) plant.pass(0);
  EXPECT_EQ(plant.scale.wanted(), 0u);
}

// A model may take longer to load than a kernel is kept without use.
TEST(scale, a_kernel_is_kept_while_it_loads_and_its_delay_counts_from_then) {
  auto p = policy(0, 5);
  p.delay_release = std::chrono::seconds(20);
  Scale scale(p, std::chrono::seconds(90));
  Load load;
  load.queued = load.arrived = 1;
  EXPECT_EQ(scale.wake(load, at(0)), 1u);
  load.queued = 0;  // who asked has gone
  for (int now = 3; now < 60; now += 3) EXPECT_EQ(scale.look(load, at(now)), 1u) << now;
  load.kernels = 1;  // it has loaded
  for (int now = 60; now <= 80; now += 3) EXPECT_EQ(scale.look(load, at(now)), 1u) << now;
  EXPECT_EQ(scale.look(load, at(81)), 0u);
}

TEST(scale, a_kernel_that_does_not_come_is_given_up) {
  auto p = policy(0, 5);
  p.delay_release = std::chrono::seconds(20);
  Scale scale(p, std::chrono::seconds(30));
  Load load;
  load.queued = load.arrived = 1;
  EXPECT_EQ(scale.wake(load, at(0)), 1u);
  load.queued = 0;
  EXPECT_EQ(scale.look(load, at(29)), 1u);
  EXPECT_EQ(scale.look(load, at(51)), 0u);
}

TEST(scale, a_constant_load_has_a_constant_answer) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    double rate = 1 + static_cast<double>(random() % 300), cost = 0.001 * (1 + random() % 200);
    Plant plant(policy(random() % 2, 100), cost);
    for (int i = 0; i < 60; ++i) plant.pass(rate);
    auto settled = plant.scale.wanted(), last = settled;
    for (int i = 0; i < 200; ++i) {  // 5 % of noise may at most bring one more, which stays
      auto wanted = plant.pass(rate * (0.95 + 0.1 * static_cast<double>(random() % 100) / 100));
      EXPECT_GE(wanted, last) << rate << " " << cost;
      last = wanted;
    }
    EXPECT_LE(last, settled + 1 + settled / 10);
    EXPECT_GE(settled + 1e-9, std::min(100.0, rate * cost));
  }
}

TEST(scale, other_bounds_count_at_the_next_look) {
  Plant plant(policy(1, 10), 0.1);
  for (int i = 0; i < 5; ++i) plant.pass(40);
  EXPECT_GT(plant.scale.wanted(), 3u);
  plant.scale.adopt(policy(1, 3), std::chrono::seconds(90));
  EXPECT_EQ(plant.pass(40), 3u);
  plant.scale.adopt(policy(5, 10), std::chrono::seconds(90));
  EXPECT_GE(plant.pass(0), 5u);
}

}  // namespace
}  // namespace wm::serve
