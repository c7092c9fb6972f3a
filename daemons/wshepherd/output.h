// Role: user part that copies a task's stdout and stderr from pipes to files. Started at the
// first byte, so a silent task costs neither process nor file.
//
//   task ──pipe──► copy ──► file, file …      (rank 0: its own file and the job's -o file)
//
// Invariant: a file that cannot be opened or written never blocks the task: its bytes are
// dropped, the others still get theirs, and the exit status says that something was lost.
#pragma once

#include "libwm/proc/launcher.h"

namespace wm::shepherd {

/// Copies until both pipes are at their end. `out` or `err` may be -1.
/// Returns 0, or 1 when bytes were lost.
int copy_output(const proc::TaskSpec& task, int out, int err);

}  // namespace wm::shepherd
