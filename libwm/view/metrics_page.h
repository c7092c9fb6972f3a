// Role: numbers as Prometheus reads them: families of metrics one after the other, in the older
// text form or as OpenMetrics 1.0; histograms; a bound on how many values a label takes. Pure.
// @source Prometheus exposition formats: text 0.0.4, OpenMetrics 1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wm::view {

/// Names and values of a line's labels.
using Labels = std::vector<std::pair<std::string, std::string>>;

/// Bounds of times from 100 us to a minute. @units s
inline constexpr std::array<double, 12> kTimeBounds = {0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05,
                                                       0.1,    0.5,    1,     5,     15,   60};

/// How many of what was measured lay up to which bound, those beyond the last apart.
/// @thread one at a time
class Histogram {
 public:
  Histogram() : bounds_(kTimeBounds) {}
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds) {}
  /// @cost O(log bounds)
  void add(double value);
  Histogram& operator+=(const Histogram& more);
  std::uint64_t count() const { return n_; }
  /// As Prometheus has them, each bound with all below it. @cost O(bounds)
  std::vector<std::pair<double, std::uint64_t>> buckets() const;
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;  // of constants
  std::map<std::size_t, std::uint64_t> in_;
  std::uint64_t n_ = 0;
  double sum_ = 0;
};

/// The text of an answer.
class MetricsPage {
 public:
  /// `open`: OpenMetrics 1.0, else text 0.0.4.
  explicit MetricsPage(bool open) : open_(open) {}
  /// Begins a family; its lines follow. `type`: gauge, counter (its name ends in _total),
  /// histogram.
  void family(const std::string& name, const char* type, const char* help);
  /// A line of it. @cost O(labels)
  void line(const std::string& name, const Labels& labels, double value);
  void histogram(const std::string& name, const Labels& labels, const Histogram& of);
  /// A family of one line.
  void single(const std::string& name, const char* type, const char* help, double value);
  /// All of it.
  std::string end() { return text_ + (open_ ? "# EOF\n" : ""); }

 private:
  bool open_;
  std::string text_;
};

/// Beyond so many keys the others are told together as "other": those that come last by name.
/// @cost O(keys)
template <class Value, class Add>
std::map<std::string, Value> bounded(const std::map<std::string, Value>& all, std::size_t most,
                                     Add add) {
  if (all.size() <= most) return all;
  std::map<std::string, Value> kept;
  for (const auto& [key, value] : all) add(kept[kept.size() < most - 1 ? key : "other"], value);
  return kept;
}

}  // namespace wm::view
