// Role: the index of metrics against the values themselves: any range, any length, any order of
// steps, appended in any pieces; a killed reader; a file that is no index.
#include "libwm/store/curves/curve_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "libwm/store/curves/curve_rows.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

struct CurveIndexTest : testing::Test {
  test::ScratchDir dir;
  std::string path = dir.path() + "/metrics.idx";
  std::unique_ptr<CurveIndex> index = opened();

  std::unique_ptr<CurveIndex> opened() {
    auto made = CurveIndex::open(path);
    EXPECT_TRUE(made) << made.error().text;
    return made ? std::move(*made) : nullptr;
  }
  void append(std::vector<CurvePoint> points, std::uint64_t offset = 1) {
    CurveBatch batch;
    batch[{"train", "loss"}] = std::move(points);
    auto done = index->append("a", {7, offset}, batch);
    ASSERT_TRUE(done) << done.error().text;
  }
  CurveFacts facts() {
    auto all = index->facts();
    EXPECT_TRUE(all && all->size() == 1);
    return all && all->size() == 1 ? all->front() : CurveFacts{};
  }
  std::vector<CurveBucket> read(double from, double to, std::size_t most) {
    auto found = index->read(facts().id, from, to, most);
    EXPECT_TRUE(found) << found.error().text;
    return found ? *found : std::vector<CurveBucket>();
  }
};

std::vector<CurvePoint> line(std::size_t count) {
  std::vector<CurvePoint> points;
  for (std::size_t n = 0; n < count; ++n)
    points.push_back({double(n), 1000 + double(n), std::sin(double(n))});
  return points;
}

// What the buckets of the index come to, against all values within their reach.
void expect_sums(const std::vector<CurveBucket>& found, const std::vector<CurvePoint>& all,
                 double from, double to) {
  CurveBucket sum, wanted;
  for (const auto& bucket : found) join(sum, bucket);
  for (const auto& point : all)
    if (point.step >= from && point.step <= to) join(wanted, bucket_of(point));
  if (wanted.count == 0) return;
  EXPECT_LE(sum.low_step, wanted.low_step);
  EXPECT_GE(sum.high_step, wanted.high_step);
  EXPECT_LE(sum.least, wanted.least);
  EXPECT_GE(sum.most, wanted.most);
  EXPECT_GE(sum.count, wanted.count);
}

TEST_F(CurveIndexTest, few_values_are_there_as_they_are) {
  append(line(300));
  auto found = read(0, 1e9, 1000);
  ASSERT_EQ(found.size(), 300u);
  for (std::size_t n = 0; n < found.size(); ++n) EXPECT_EQ(found[n], bucket_of(line(300)[n]));
  EXPECT_EQ(read(10, 19, 1000).size(), 10u);
  EXPECT_TRUE(read(300, 400, 1000).empty());
}

TEST_F(CurveIndexTest, levels_hold_all_values_at_every_length_and_in_any_pieces) {
  std::mt19937 random(1);
  for (std::size_t count : {1u, 16u, 255u, 256u, 257u, 4095u, 4096u, 4097u, 70'000u}) {
    ASSERT_TRUE(index->clear());
    auto all = line(count);
    for (std::size_t at = 0; at < count;) {
      auto size = std::min<std::size_t>(1 + random() % 5000, count - at);
      append({all.begin() + long(at), all.begin() + long(at + size)}, at + size);
      at += size;
    }
    for (std::size_t most : {1u, 7u, 100u, 2000u}) {
      auto found = read(-1, 1e9, most);
      EXPECT_LE(found.size(), std::max<std::size_t>(kCurveFan * most, kCurveRow));
      CurveBucket sum, wanted;
      for (const auto& bucket : found) join(sum, bucket);
      for (const auto& point : all) join(wanted, bucket_of(point));
      EXPECT_NEAR(sum.sum, wanted.sum, 1e-6);
      sum.sum = wanted.sum;
      EXPECT_EQ(sum, wanted) << count << " values, " << most << " wanted";
    }
  }
}

TEST_F(CurveIndexTest, a_range_has_its_spikes_and_its_least_at_any_resolution) {
  auto all = line(50'000);
  all[31'234].value = 99;
  append(all);
  std::mt19937 random(2);
  for (int n = 0; n < 40; ++n) {
    double from = random() % 50'000, to = from + random() % 20'000;
    expect_sums(read(from, to, 50), all, from, to);
  }
  CurveBucket sum;
  for (const auto& bucket : read(31'000, 32'000, 10)) join(sum, bucket);
  EXPECT_EQ(sum.most, 99);
}

TEST_F(CurveIndexTest, a_run_that_was_resumed_reports_steps_again) {
  auto all = line(20'000);
  for (const auto& point : line(20'000))
    if (point.step >= 12'000) all.push_back({point.step, point.time_s + 9, point.value + 5});
  append(all);
  EXPECT_EQ(facts().count, 28'000u);
  expect_sums(read(11'990, 12'010, 500), all, 11'990, 12'010);
  std::size_t again = 0;
  for (const auto& bucket : read(12'000, 12'009, 2000)) again += bucket.last_step == 12'005;
  EXPECT_EQ(again, 2u) << "both are there, in their order";
}

TEST_F(CurveIndexTest, the_last_the_least_and_the_greatest_are_exact) {
  append({{1, 10, 5}, {2, 20, -3}, {3, 30, 8}});
  append({{4, 40, -3}, {5, 50, 8}, {6, 60, 2}});
  auto f = facts();
  EXPECT_EQ(f.count, 6u);
  EXPECT_EQ(f.last, (CurvePoint{6, 60, 2}));
  EXPECT_EQ(f.least, (CurvePoint{2, 20, -3})) << "the first of the equal";
  EXPECT_EQ(f.most, (CurvePoint{3, 30, 8}));
}

TEST_F(CurveIndexTest, how_far_a_file_was_read_is_kept_with_its_values) {
  EXPECT_EQ(*index->source("a"), CurveSource{});
  append(line(10), 1234);
  index = opened();
  EXPECT_EQ(*index->source("a"), (CurveSource{7, 1234}));
  EXPECT_EQ(*index->source("b"), CurveSource{});
  EXPECT_EQ(facts().count, 10u);
  append(line(10), 2000);
  EXPECT_EQ(facts().count, 20u);
}

TEST_F(CurveIndexTest, thousands_of_series_of_a_line_each) {
  CurveBatch batch;
  for (int n = 0; n < 3000; ++n) batch[{"test", "m" + std::to_string(n)}] = {{1, 0, double(n)}};
  ASSERT_TRUE(index->append("a", {1, 1}, batch));
  ASSERT_TRUE(index->append("a", {1, 2}, batch));
  auto all = index->facts();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3000u);
  for (const auto& f : *all) EXPECT_EQ(f.count, 2u);
}

TEST_F(CurveIndexTest, what_is_no_index_is_refused_and_rows_that_lie_are_damaged) {
  append(line(1000));
  index.reset();
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.write("not a database of ours", 22);
  }
  auto again = CurveIndex::open(path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::Damaged) << again.error().text;
  EXPECT_FALSE(unpacked_row(0, std::string(23, 'x')));
  EXPECT_FALSE(unpacked_row(1, std::string(257 * sizeof(CurveBucket), 'x')));
}

}  // namespace
}  // namespace wm::store
