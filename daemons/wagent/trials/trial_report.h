// Role: from what a training writes about itself to what is reported of it: of each metric the
// newest, the least and the greatest value so far. Pure.
// @source WMLA: val_dict_list.json (a list of objects, one a step), emetrics'
// evaluation-metrics.txt
//   (one object a line), metrics of an experiment (wmla-surface 5.2)
#pragma once

#include <string>
#include <string_view>

namespace wm::wagent {

/// {"loss":{"course":[[1,2.5],[4,0.1],[9,0.2]],"latest":0.2,"max":2.5,"min":0.1},"step":{…}} as
/// compact JSON: of every number in the objects of `val_dicts` and, for names that these do not
/// have, in whole lines of `emetrics` ("iteration" says where it stood). `course`: pairs of step
/// and value, of a metric with several; thinned out, the first and the last are there always. What
/// does not read counts as not there; empty: nothing reads, or it is more than kMaxReport bytes.
/// @cost O(length)   @thread any
std::string report_of(std::string_view val_dicts, std::string_view emetrics);

}  // namespace wm::wagent
