// Role: where an OutputFile lies and how it is opened. Runs as the job's user, in its working
// directory: in a task before its exec, in a shepherd's user part, in a reader.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/launch/launch_parts.h"
#include "libwm/proc/channel.h"

namespace wm::proc {

/// A directory means `name` in it. @cost one stat
std::string resolved_path(const launch::OutputFile& file);

/// Opens it for appending; what was there goes with `anew` if it is one to overwrite. A folder
/// spelled with a trailing '/' is made 0700 when missing. A link in its place is followed if root
/// or the user made it.
/// @errors Denied: another account's link; System: path and reason
Result<Fd> open_output(const launch::OutputFile& file, bool anew);

/// Makes the files that are to exist whatever is written. A FIFO is left to its writer: nothing
/// here waits for its reader.
/// @errors System: of the first that cannot be opened
Result<void> make_outputs(const std::vector<launch::OutputFile>& files);

}  // namespace wm::proc
