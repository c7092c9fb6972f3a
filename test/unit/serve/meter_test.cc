// Role: a service's figures over time.
#include "libwm/serve/meter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace wm::serve {
namespace {

using namespace std::chrono_literals;

TimePoint at(Duration d) { return TimePoint(100s) + d; }
WallTime wall(Duration d) { return WallTime(5000s) + d; }

TEST(histogram, a_share_is_told_within_a_fifth) {
  Histogram all;
  EXPECT_EQ(all.quantile(0.5), Duration::zero());
  for (int i = 1; i <= 1000; ++i) all.add(i * 1ms);
  for (double q : {0.01, 0.5, 0.95, 0.99, 1.0}) {
    auto told = static_cast<double>(all.quantile(q).count()) / 1000, real = q * 1000;
    EXPECT_NEAR(told / real, 1, 0.2) << q;
  }
  all.add(std::chrono::hours(24 * 300));
  EXPECT_GT(all.quantile(1), 1h);
}

TEST(meter, a_request_counts_in_the_stages_that_it_saw) {
  Meter meter;
  meter.close({}, 0, at(0s), wall(0s));  // the first interval begins
  EXPECT_TRUE(meter.samples().empty());
  EXPECT_EQ(meter.due(), at(2s));
  meter.answered(at(0s), at(100ms), at(300ms), 200);
  meter.answered(at(0s), TimePoint{}, at(1s), 503);
  Load load;
  load.arrived = 4;
  load.queued = 2;
  load.kernels = 1;
  load.oldest = 5ms;
  meter.close(load, 3, at(2s), wall(2s));
  auto json = nlohmann::json::parse(series_json(meter, wall(1s)));
  ASSERT_EQ(json["samples"].size(), 1U);
  const auto& one = json["samples"][0];
  EXPECT_EQ(one["rate"], 2);
  EXPECT_EQ(one["answered"], 2);
  EXPECT_EQ(one["failed"], 1);
  EXPECT_EQ(one["kernels"], 1);
  EXPECT_EQ(one["wanted"], 3);
  EXPECT_EQ(one["oldest_ms"], 5);
  EXPECT_NEAR(one["kernel_ms"][0], 200, 40);
  EXPECT_NEAR(one["queue_ms"][2], 1000, 200);
  EXPECT_NEAR(one["total_ms"][0], 300, 60);
  EXPECT_TRUE(nlohmann::json::parse(series_json(meter, wall(3s)))["samples"].empty());
}

TEST(meter, an_interval_without_answers_has_no_latency_and_old_ones_are_forgotten) {
  Meter meter;
  for (std::size_t i = 0; i < Meter::kMost + 10; ++i) {
    auto passed = Meter::kInterval * static_cast<std::int64_t>(i);
    meter.close({}, 0, at(passed), wall(passed));
  }
  EXPECT_EQ(meter.samples().size(), Meter::kMost);
  auto json = nlohmann::json::parse(series_json(meter, WallTime{}));
  EXPECT_FALSE(json["samples"][0].contains("total_ms"));
}

}  // namespace
}  // namespace wm::serve
