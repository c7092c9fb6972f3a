// Role: what a service did over time: requests, latency by stage, queue, kernels; a sample each two
// seconds for an hour. Pure: the time is an argument.
//
//   answered() each request ─┐
//   load, wanted ────────────┴─► close() ─► samples(), the oldest forgotten
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "libwm/serve/scale.h"

namespace wm::serve {

/// Where the time of a request goes.
enum class Stage : std::uint8_t { Queue, Kernel, Total };
inline constexpr std::size_t kStages = 3;

/// Counts of durations by their size, each bucket a fifth wider than the one below.
class Histogram {
 public:
  /// @cost O(1)
  void add(Duration time);
  /// The duration that a share `q` of all are not above, within a fifth; 0: there is none.
  /// @cost O(buckets)
  Duration quantile(double q) const;
  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::size_t kBuckets = 128;  // 10 us to a day and more
  std::array<std::uint32_t, kBuckets> counts_{};
  std::uint64_t count_ = 0;
};

/// What was in one interval.
struct Sample {
  WallTime at{};  ///< its end
  double seconds = 0;
  std::uint32_t arrived = 0, answered = 0, failed = 0;  ///< failed: answered other than 200
  std::uint32_t kernels = 0, wanted = 0;
  std::uint32_t queued = 0;
  Duration oldest{};  ///< age of the first in the queue
  /// 50, 95, 99 % of each stage; 0: nothing was answered
  std::array<std::array<Duration, 3>, kStages> latency{};
};

/// @thread one at a time
class Meter {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(2);
  static constexpr std::size_t kMost = 1800;

  /// A request was answered: it came, it was handed to a kernel (never: the epoch), it is now.
  void answered(TimePoint arrived, TimePoint handed, TimePoint now, int status);
  /// Ends an interval. @cost O(buckets)
  void close(const Load& load, std::uint32_t wanted, TimePoint now, WallTime wall);
  /// When the interval is to be ended.
  TimePoint due() const { return begun_ + kInterval; }

  /// The oldest first.
  const std::deque<Sample>& samples() const { return samples_; }
  /// Of all since it began. @cost O(buckets)
  const Histogram& all(Stage stage) const { return all_[static_cast<std::size_t>(stage)]; }

 private:
  std::array<Histogram, kStages> now_{}, all_{};
  Sample open_;
  TimePoint begun_{};
  std::uint64_t arrived_ = 0;  // at begun_
  std::deque<Sample> samples_;
};

/// The samples not older than `since` as JSON: {"stages": […], "samples": [{"t", "rate", …}, …]}.
/// @cost O(samples)
std::string series_json(const Meter& meter, WallTime since);

}  // namespace wm::serve
