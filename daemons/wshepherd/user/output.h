// Role: user part that copies a task's stdout and stderr from pipes to files. Started at the
// first byte, so a silent task costs neither process nor file.
//
//   task ──pipe──► copy ──► file, file …      (rank 0: its own file and the job's -o file)
//
// Of an elastic job the task that writes the job's files may change (rank 0 moves): each copier
// knows those files and is told when its turn begins and ends.
// Invariant: a file that cannot be opened or written never blocks the task: its bytes are
// dropped, the others still get theirs, and the exit status says that something was lost.
#pragma once

#include "libwm/launch/launcher.h"

namespace wm::shepherd {

/// May the files that were asked for become this task's to write, or another's?
bool hands_over(const launch::TaskSpec& task);

/// Copies until both pipes are at their end. `out`, `err` or `turns` may be -1. From `turns` come
/// '1' when the task becomes the one that writes the files that were asked for (what it said in the
/// last two seconds goes there, too: whoever wrote before was gone by then), '0' when another does.
/// Returns 0, or 1 when a file could not be written; what is beyond a file's limit is no loss.
int copy_output(const launch::TaskSpec& task, int out, int err, int turns);

}  // namespace wm::shepherd
