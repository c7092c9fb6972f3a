// Role: the files of a trial that a report is made of: RESULT_DIR/val_dict_list.json and
// RESULT_DIR/log/1/evaluation-metrics.txt. Reads as the job's user.
#pragma once

#include <string>

namespace wm::wagent {

/// Changes whenever one of the files does. @cost two stats
std::string stamp_in(const std::string& folder);

/// What report_of() makes of them; of a file beyond 4 MiB its end is read. Empty: nothing reads.
/// @cost two reads
std::string report_in(const std::string& folder);

}  // namespace wm::wagent
