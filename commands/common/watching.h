// Role: what bjobs --watch prints: a line for each change of a job, as they come. Used by bjobs.
#pragma once

#include <string>

#include "libwm/client/master.h"

namespace wm::cmd {

/// "JOBID     STAT  SLOTS USER ..." as change_line() fills it.
std::string change_heading();

/// One change in 80 columns unless the name is long: time, job, state, slots, user, queue, name.
/// @cost O(1)
std::string change_line(const JobChange& change);

/// Prints how the jobs that the filter means stand, and then every change, until all those that
/// are named by their numbers are over; without numbers for ever.
/// @errors NotFound: none of those named is known; as Master::watch
Result<void> watch_jobs(client::Master& master, const JobSelection& selection, bool heading);

}  // namespace wm::cmd
