// Role: bsub -k: where a job's checkpoints are kept, how often and how they are made.
// @source LSF bsub -k "dir [init=minutes] [period] [method=name]"
#pragma once

#include "libwm/base/result.h"
#include "libwm/client/master.h"
#include "libwm/model/job.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// -k into the specification. A relative folder is below the job's working directory.
/// @errors BadArgument: a period that is no number of minutes, a method that is no name
Result<void> read_checkpoint(const Parsed& options, JobSpec& spec);

/// How the job keeps its checkpoints. @errors NotFound: no such job; Conflict: it keeps none
Result<Checkpoint> checkpoint_of(client::Master& master, JobId job);

}  // namespace wm::cmd
