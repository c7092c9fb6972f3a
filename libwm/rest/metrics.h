// Role: what a training script reported, as curves: read from the files that its metric modules and
// FabricModel's loggers write. Pure: texts in, series out.
//
//   evaluation-metrics.txt   a JSON object a line            @source wmla-surface 3.4
//   stdout                   "Iteration n: tag train_loss, simple_value v" of the default loggers
//   val_dict_list.json       [{"steps": n, "accuracy": v, …}, …]
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wm::rest {

/// One value. @units time_s: seconds since the epoch; 0: not told
struct MetricPoint {
  double iteration = 0, time_s = 0, value = 0;
  bool operator==(const MetricPoint&) const = default;
};

/// All that a job reported. @thread one
class Metrics {
 public:
  /// Lines that do not read are passed over: a file may be read while it is written.
  void read_emetrics(std::string_view text);
  void read_log(std::string_view text);
  void read_results(const std::string& text);

  /// (group, name) → points; group "train" or "test". @cost O(1)
  const std::map<std::pair<std::string, std::string>, std::vector<MetricPoint>>& series() const {
    return series_;
  }

  /// {"series":[{"group","name","last","points":[[iteration,time,mean,min,max],…]},…]}: no more
  /// than `most` points each, so that no spike is lost. @cost O(points log points)
  std::string json(std::size_t most) const;

 private:
  void add(const std::string& group, const std::string& name, const MetricPoint& point);

  std::map<std::pair<std::string, std::string>, std::vector<MetricPoint>> series_;
};

/// Series of several jobs on one grid, so that they can be laid over each other: buckets of
/// iterations, as wide as the least power of two with which none has more than `most` + 1, their
/// edges multiples of it: a bucket that is over never changes. `names`: "group name" each.
/// {"width":W,"runs":[{"series":[{"group","name","count","points":[[edge,time of its last
/// one,mean,min,max,values],…]},…]},…]}, in the order of `jobs`. @cost O(points log points)
std::string compared_json(std::span<const Metrics> jobs, std::span<const std::string> names,
                          std::size_t most);

}  // namespace wm::rest
