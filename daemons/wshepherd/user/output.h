// Role: user part that copies a task's stdout and stderr from pipes to files. Started at the
// first byte, so a silent task costs neither process nor file.
//
//   task ──pipe──► copy ──► file, file …      (rank 0: its own file and the job's -o file)
//
// Of a launcher that is started once a host (TaskSpec::tag), one on the first host writes whole
// lines, since agents write those of the others to the same files; on another host all it says goes
// to the agent there as well, which passes it on:
//
//   task ──pipe──► copy ──► its spool     (the newest of it)
//                    └──pipe──► agent ──► the first host's agent ──► the job's files
//
// Of an elastic job the task that writes the job's files may change (rank 0 moves): each copier
// knows those files and is told when its turn begins and ends.
// Invariant: a file that cannot be opened or written never blocks the task: its bytes are
// dropped, the others still get theirs, and the exit status says why something was lost. A file is
// believed written once it is closed.
#pragma once

#include <string>

#include "libwm/launch/launcher.h"

namespace wm::shepherd {

/// The file a copy goes to is written by others, too, or by others alone: through the agents.
bool is_shared(const launch::TaskSpec& task);

/// May the files that were asked for become this task's to write, or another's?
bool hands_over(const launch::TaskSpec& task);

/// Copies until both pipes are at their end. `out`, `err` or `turns` may be -1. From `turns` come
/// '1' when the task becomes the one that writes the files that were asked for (what it said in the
/// last two seconds goes there, too: the task that wrote before was gone by then), '0' when another
/// does. `agent`: socket of the agent that passes a shared output on. Returns when that is
/// written. Returns 0, or errno of the first file that could not be written or closed (EPIPE: the
/// way to the agent); what is beyond a file's limit is no loss.
int copy_output(const launch::TaskSpec& task, int out, int err, int turns,
                const std::string& agent = {});

}  // namespace wm::shepherd
