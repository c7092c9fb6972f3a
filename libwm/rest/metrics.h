// Role: what a training script reported, as curves: read from the files that its metric modules and
// FabricModel's loggers write. Pure: texts in, series out.
//
//   evaluation-metrics.txt   a JSON object a line            @source wmla-surface 3.4
//   stdout                   "Iteration n: tag train_loss, simple_value v" of the default loggers
//   steps.csv                step,epoch,world,samples,t_begin,t_end   libwm/trainer/FORMAT.md
//   val_dict_list.json       [{"steps": n, "accuracy": v, …}, …]
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wm::rest {

/// One value, or several that follow each other: then `value` is their mean, the rest as of the
/// last. @units time_s: seconds since the epoch; 0: not told
struct MetricPoint {
  double iteration = 0, time_s = 0, value = 0;
  double least = 0, most = 0;  ///< of several
  std::uint64_t count = 0;     ///< 0: one value
  bool operator==(const MetricPoint&) const = default;
};

/// A series as a whole.
struct MetricSummary {
  std::uint64_t count = 0;
  double last = 0, least = 0, most = 0;
  bool operator==(const MetricSummary&) const = default;
};

/// (group, name): "train" or "test", "loss".
using MetricName = std::pair<std::string, std::string>;
using MetricSink = std::function<void(const MetricName& name, const MetricPoint& point)>;

/// The values that whole lines of a file tell. What does not read is passed over, and what is not
/// finite. @return bytes that were read: up to the end of the last line that told all of its values
std::size_t each_emetric(std::string_view text, const MetricSink& sink);
std::size_t each_logged(std::string_view text, const MetricSink& sink);
/// Of each step how long it took, how many samples it had and how many workers: series of kSteps.
std::size_t each_step(std::string_view text, const MetricSink& sink);
/// The group of series that no script has reported: "seconds", "samples", "world" of each step.
inline constexpr const char* kSteps = "steps";
/// A whole file of results, which is written anew each time.
void each_result(const std::string& text, const MetricSink& sink);

/// Series of a job. @thread one
class Metrics {
 public:
  /// One value more, in the order of the file. Beyond 64 series others are passed over.
  void add(const MetricName& name, const MetricPoint& point);
  /// A series that was summed up elsewhere.
  void put(const MetricName& name, std::vector<MetricPoint> points, const MetricSummary& summary);
  /// Bytes that nobody has read yet: the series end before them.
  void set_behind(std::uint64_t bytes) { behind_ = bytes; }

  struct Series {
    std::vector<MetricPoint> points;
    MetricSummary summary;
  };
  const std::map<MetricName, Series>& series() const { return series_; }

  /// {"series":[{"group","name","count","last","least","most","points":[[iteration,time,mean,min,
  /// max],…]},…],"behind":N}: no more than `most` points each, so that no spike is lost.
  /// @cost O(points log points)
  std::string json(std::size_t most) const;

 private:
  std::map<MetricName, Series> series_;
  std::uint64_t behind_ = 0;
};

/// Nobody is shown more at once.
inline constexpr std::size_t kMostSeries = 64;

/// Series of several jobs on one grid, so that they can be laid over each other: buckets of
/// iterations, as wide as the least power of two with which none has more than `most` + 1, their
/// edges multiples of it: a bucket that is over never changes.
/// {"width":W,"runs":[{"series":[{"group","name","count","points":[[edge,time of its last
/// one,mean,min,max,values],…]},…]},…]}, in the order of `jobs`. @cost O(points log points)
std::string compared_json(std::span<const Metrics> jobs, std::size_t most);

}  // namespace wm::rest
