// Role: measured times of a training step by placement and samples per task: what the lists
// of Pollux and Sia bring with them. Between measured points it interpolates linearly; a
// placement that was not measured itself is taken from the measured numbers of hosts and
// tasks around it. Used by training.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/replay/work.h"

namespace wm::replay {

/// Times of one step. @units seconds
struct StepTime {
  double step = 0;  ///< whole
  double sync = 0;  ///< of it spent in exchanging gradients
};

/// All measurements of one application.
class StepTable {
 public:
  /// @errors BadArgument: line and field   @cost O(bytes)
  static Result<StepTable> parse(std::string_view placements, std::string_view scalability);

  /// A step's times. @cost O(log measurements)
  StepTime at(const Shape& shape, double local_batch) const;

  /// Smallest and largest samples per task that were measured.
  double least_batch() const { return least_; }
  double most_batch() const { return most_; }

 private:
  /// Times by samples per task, rising.
  using Curve = std::map<double, StepTime>;

  Result<void> add_placements(std::string_view text);
  Result<void> add_scalability(std::string_view text);
  StepTime on_hosts(double hosts, double tasks_per_host, double local_batch) const;

  std::map<Shape, Curve> placements_;                   // smallest rotation
  std::map<double, std::map<double, Curve>> by_hosts_;  // hosts → tasks
  double least_ = 0, most_ = 0;
};

}  // namespace wm::replay
