// Role: from what a training writes about itself to what is reported of it: its newest metrics as
// one flat JSON object. Pure.
// @source WMLA: val_dict_list.json (a list of objects, one a step), emetrics'
// evaluation-metrics.txt
//   (one object a line)
#pragma once

#include <string>
#include <string_view>

namespace wm::wagent {

/// The last object of `val_dicts`, over the names and values of the last whole line of `emetrics`
/// ("iteration" says where it stood); numbers, texts and truth values only, as compact JSON. What
/// does not read counts as not there; empty: nothing reads, or it has more than kMaxReport bytes.
/// @cost O(length)   @thread any
std::string newest_report(std::string_view val_dicts, std::string_view emetrics);

}  // namespace wm::wagent
