// Role: from bmod's options to what a job asks for from now on: pure. An option means what it
// means to bsub; one that ends in n takes it back. What no option names stays.
// @source LSF bmod (lsf-surface 4)
#pragma once

#include <optional>
#include <span>

#include "libwm/submit/submission.h"

namespace wm::cmd {

/// bmod's table: those of bsub that a job can be without, or have otherwise, before it starts.
/// @cost O(1)
std::span<const Option> modify_options();

/// Changes what was submitted. A name without indices leaves an array its own; "%5" is its limit
/// alone.
/// @errors BadArgument: as make_spec; no option at all
Result<void> change_spec(const Parsed& options, const Surroundings& here, JobSpec& spec);

/// The run limit where it is all that is to change; 0: its profile's or queue's. Alone it may be
/// changed of jobs that run, and by administrators.
/// @errors BadArgument: no time
Result<std::optional<Duration>> run_limit_alone(const Parsed& options);

}  // namespace wm::cmd
