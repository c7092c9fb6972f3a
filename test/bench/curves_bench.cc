// Role: what it costs to keep and to read what a long run reported. Prints `name value unit` lines
// (medians of 21 readings).
//   metrics_append_us        a value, in batches of 1,000
//   metrics_10m_mb           the index of 10,000,000 values
//   metrics_10m_points_ms    all of it at 2,000 points
//   metrics_10m_zoom_ms      a hundredth of it
//   metrics_10m_open_ms      opening it, and what is exact of the series
// Usage: curves_bench [VALUES]; default 10,000,000.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "libwm/store/curves/curve_index.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kPoints = 2000, kBatch = 1000;

double ms_since(Clock::time_point began) {
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}
template <class T>
T good(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "curves_bench: %s\n", result.error().text.c_str());
  std::exit(1);
}
void good(const Result<void>& result) {
  if (result) return;
  std::fprintf(stderr, "curves_bench: %s\n", result.error().text.c_str());
  std::exit(1);
}

double median_ms(const std::function<void()>& act) {
  std::vector<double> times;
  for (int n = 0; n < 21; ++n) {
    auto began = Clock::now();
    act();
    times.push_back(ms_since(began));
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

void fill(CurveIndex& index, std::size_t values) {
  CurveBatch batch;
  auto& points = batch[{"train", "loss"}];
  for (std::size_t n = 0; n < values;) {
    points.clear();
    for (std::size_t end = std::min(values, n + kBatch); n < end; ++n)
      points.push_back({double(n), double(n) / 100, 1 / std::sqrt(double(n + 1))});
    good(index.append("a", {1, n}, batch));
  }
}

void measure(std::size_t values) {
  test::ScratchDir dir;
  auto path = dir.path() + "/metrics.idx";
  auto index = good(CurveIndex::open(path));
  auto began = Clock::now();
  fill(*index, values);
  std::printf("metrics_append_us %.3g us\n", ms_since(began) * 1000 / double(values));
  std::printf("metrics_10m_mb %.4g MiB\n", double(std::filesystem::file_size(path)) / (1 << 20));
  auto read = [&](double from, double to) {
    return median_ms([&] { good(index->read(1, from, to, kPoints)); });
  };
  std::printf("metrics_10m_points_ms %.3g ms\n", read(0, double(values)));
  std::printf("metrics_10m_zoom_ms %.3g ms\n", read(double(values) * 0.31, double(values) * 0.32));
  std::printf("metrics_10m_open_ms %.3g ms\n",
              median_ms([&] { good(good(CurveIndex::open(path))->facts()); }));
}

}  // namespace
}  // namespace wm::store

int main(int argc, char** argv) {
  wm::store::measure(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000);
}
