// Role: user part that repeats what a failed task said last: a line for its record, and a block in
// the job's output where that does not have its stderr. What the error file of a torchrun task says
// goes before what stands on stderr. Invariant: whatever lies where an error file should (a FIFO, a
// link, another's file), nobody waits for it, and nothing else is read.
#pragma once

#include <string>

#include "libwm/launch/launcher.h"

namespace wm::shepherd {

/// Writes to `line_to` why the task failed: "its error file says: ..", or "its stderr ended: .." by
/// the end of its stderr file ("its output ended: ..", where one file has both); and with `block`
/// what failure_block() makes of that to the task's `last_words`. Returns 0, or 1: not all was
/// written. A file that nobody wrote to since the task began says nothing of it.
int tell_last_words(const launch::TaskSpec& task, const launch::ExitRecord& record,
                    const std::string& host, int line_to, bool block);

}  // namespace wm::shepherd
