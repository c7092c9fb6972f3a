// Role: what a run reported, read through the index beside its files (libwm/store/curves): lines
// are read once, in pieces, when somebody looks, and by a thread of this daemon's as long as there
// are more; nothing is read of runs that nobody looks at.
//
//   <result_dir>/log/K/evaluation-metrics.txt   or, if there is none, the stdout of a task
//   <result_dir>/log/K/steps.csv                of the first task that has one
//   <result_dir>/**/events.out.tfevents.*       scalars of TensorBoard, a folder being a group
//   <result_dir>/metrics.idx                    made of them; damaged or of other files: made anew
//   <result_dir>/val_dict_list.json             written anew each time, and so read each time
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/rest/metrics.h"

namespace wm::user {

/// Which of what a run reported is wanted.
struct MetricWish {
  std::vector<std::string> names;  ///< "group name" each; none: the first 64
  double from = -std::numeric_limits<double>::infinity();  ///< iterations
  double to = std::numeric_limits<double>::infinity();
  std::size_t most = 0;  ///< points of a series, of which 16 times as many are read; 0: none
};

/// What a run reported so far. Where no index can be kept it is made of the last 16 MiB of each
/// file.   @thread any   @cost 50 ms of reading at most, and O(series × wish.most)
rest::Metrics metrics_of(const std::string& result_dir, const MetricWish& wish);

/// Reads on for that long at most, or to the end. @return bytes that are left to be read
/// @errors System, Store: no index can be kept there   @thread any; one at a time for all runs
Result<std::uint64_t> read_curves(const std::string& result_dir, Duration limit);

}  // namespace wm::user
