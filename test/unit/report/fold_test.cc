// Sums of holdings and standings by hour: whatever is cut, they add up.
#include "libwm/report/fold.h"

#include <gtest/gtest.h>

#include <random>

namespace wm::report {
namespace {

constexpr std::int64_t kHourUs = 3'600'000'000;

std::vector<Hour> hours(std::size_t n) {
  std::vector<Hour> made;
  for (std::size_t i = 0; i < n; ++i)
    made.push_back({static_cast<std::int64_t>(i) * 3'600'000, 3'600'000});
  return made;
}

Part part(std::int64_t start, std::int64_t end) {
  Part made;
  made.host = "h1", made.start = start, made.end = end;
  made.slots = 1000, made.milli_cpus = 2000;
  return made;
}

ByUse total(const HourSums& sums) {
  ByUse all;
  for (const auto& row : sums.hosts) all[row.use] += row.amounts;
  return all;
}

TEST(fold, what_lies_outside_is_clipped_away) {
  HourFold fold(hours(1), 2 * kHourUs);
  fold.add(part(-kHourUs, kHourUs / 2));
  auto sums = fold.finish();
  ASSERT_EQ(sums.dims.size(), 1u);
  EXPECT_EQ(sums.dims[0].amounts.slot_ms, 1'800'000);
  EXPECT_EQ(sums.dims[0].amounts.cpu_mms, 3'600'000'000);
}

TEST(fold, what_lasts_counts_until_the_horizon) {
  HourFold fold(hours(2), kHourUs + kHourUs / 4);
  fold.add(part(0, 0));
  auto sums = fold.finish();
  ASSERT_EQ(sums.dims.size(), 2u);
  EXPECT_EQ(sums.dims[1].amounts.slot_ms, 900'000);
}

TEST(fold, what_nobody_holds_is_what_its_host_says) {
  HourFold fold(hours(1), kHourUs);
  fold.add(part(0, kHourUs / 2));
  fold.add(HostSpan{"h1", 0, kHourUs / 4, Use::Idle, 4000, 4000});
  fold.add(HostSpan{"h1", kHourUs / 4, 0, Use::Drained, 4000, 4000});
  auto all = total(fold.finish());
  EXPECT_EQ(all[Use::Held].slot_ms, 1'800'000);
  EXPECT_EQ(all[Use::Idle].slot_ms, 2'700'000);
  EXPECT_EQ(all[Use::Drained].slot_ms, 3 * 900'000 + 4 * 1'800'000);
  EXPECT_EQ(all.capacity().slot_ms, 4 * 3'600'000);
}

TEST(fold, a_host_that_came_back_smaller_is_shown_as_it_is) {
  HourFold fold(hours(1), kHourUs);
  fold.add(part(0, kHourUs));
  fold.add(part(0, kHourUs));
  fold.add(HostSpan{"h1", 0, 0, Use::Idle, 1000, 1000});
  auto all = total(fold.finish());
  EXPECT_EQ(all[Use::Over].slot_ms, 3'600'000);
  EXPECT_EQ(all.capacity().slot_ms, 3'600'000);
}

TEST(fold, a_gpu_set_aside_is_neither_idle_nor_down) {
  HourFold fold(hours(1), kHourUs);
  fold.add(HostSpan{"h1", 0, 0, Use::Idle, 4000, 4000});
  fold.add(GpuSpan{"h1", "a", 0, 0, false, 1000});
  fold.add(GpuSpan{"h1", "b", 0, 0, true, 1000});
  auto all = total(fold.finish());
  EXPECT_EQ(all[Use::Aside].gpu_mms, 3'600'000'000);
  EXPECT_EQ(all[Use::Idle].gpu_mms, 3'600'000'000);
}

TEST(fold, the_rest_of_a_shared_gpu_is_idle) {
  HourFold fold(hours(1), kHourUs);
  auto half = part(0, kHourUs);
  half.gpus = half.gpueq = 500, half.gpu_list = "a";
  fold.add(half);
  fold.add(HostSpan{"h1", 0, 0, Use::Idle, 4000, 4000});
  fold.add(GpuSpan{"h1", "a", 0, 0, false, 1000});
  auto all = total(fold.finish());
  EXPECT_EQ(all[Use::Held].gpu_mms, 1'800'000'000);
  EXPECT_EQ(all[Use::Idle].gpu_mms, 1'800'000'000);
}

/// A course of random holdings and standings on one host.
struct Course {
  std::vector<Part> parts;
  std::vector<HostSpan> hosts;
  std::vector<GpuSpan> gpus;

  explicit Course(unsigned seed) {
    std::mt19937 random(seed);
    auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % n); };
    for (int i = 0; i < 40; ++i) {
      auto start = below(6 * kHourUs) - kHourUs;
      auto made = part(start, below(8) ? start + below(3 * kHourUs) : 0);
      made.use = static_cast<Use>(below(6)), made.dim = static_cast<std::uint32_t>(below(5));
      made.gpus = made.gpueq = below(3) * 500, made.mem_mib = below(4096);
      if (made.gpus) made.gpu_list = made.gpus > 500 ? "a b" : "b";
      parts.push_back(made);
    }
    std::int64_t at = -kHourUs;
    for (int i = 0; i < 8; ++i) {
      auto next = at + 1 + below(kHourUs);
      Use use = std::array{Use::Idle, Use::Down, Use::Drained}[static_cast<std::size_t>(below(3))];
      hosts.push_back({"h1", at, i == 7 ? 0 : next, use, 4000 + below(3) * 4000, 16000});
      for (const char* gpu : {"a", "b"})
        gpus.push_back({"h1", gpu, at, i == 7 ? 0 : next, below(3) == 0, 1000});
      at = next;
    }
  }
  HourSums over(const std::vector<Hour>& hours, std::int64_t horizon) const {
    HourFold fold(hours, horizon);
    for (const auto& part : parts) fold.add(part);
    for (const auto& span : hosts) fold.add(span);
    for (const auto& span : gpus) fold.add(span);
    return fold.finish();
  }
};

TEST(fold, jobs_and_hosts_and_capacity_agree_in_every_hour) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Course course(seed);
    auto sums = course.over(hours(6), 5 * kHourUs + 12'345'678);
    std::map<std::int64_t, Amounts> by_job;
    std::map<std::int64_t, ByUse> by_host;
    for (const auto& row : sums.dims) by_job[row.hour] += row.amounts;
    for (const auto& row : sums.hosts) by_host[row.hour][row.use] += row.amounts;
    std::map<std::int64_t, std::int64_t> room;
    for (const auto& span : course.hosts)
      for (const auto& hour : hours(6)) {
        auto floor_ms = [](std::int64_t t) { return t < 0 ? (t - 999) / 1000 : t / 1000; };
        auto horizon = floor_ms(5 * kHourUs + 12'345'678);
        auto from = std::max(floor_ms(span.since), hour.start);
        auto to = std::min({span.until ? floor_ms(span.until) : horizon, hour.end(), horizon});
        if (to > from) room[hour.start] += span.slots * (to - from) / 1000;
      }
    for (auto& [hour, uses] : by_host) {
      auto allocated = uses.allocated();
      allocated.mem_mib_s = by_job[hour].mem_mib_s;
      EXPECT_EQ(allocated, by_job[hour]) << "seed " << seed;
      EXPECT_EQ(uses.capacity().slot_ms, room[hour]) << "seed " << seed << " hour " << hour;
    }
  }
}

TEST(fold, hours_taken_one_by_one_give_the_same) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Course course(seed);
    auto horizon = 6 * kHourUs;
    auto whole = course.over(hours(6), horizon);
    Amounts pieces, all;
    ByUse host_pieces;
    for (const auto& hour : hours(6)) {
      auto one = course.over({hour}, horizon);
      for (const auto& row : one.dims) pieces += row.amounts;
      host_pieces += total(one);
    }
    for (const auto& row : whole.dims) all += row.amounts;
    EXPECT_EQ(pieces, all) << "seed " << seed;
    EXPECT_EQ(host_pieces.of, total(whole).of) << "seed " << seed;
  }
}

}  // namespace
}  // namespace wm::report
