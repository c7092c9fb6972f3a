// Role: user part that repeats what a failed task said last: a line for its record, and a block in
// the job's output where that does not have its stderr.
#pragma once

#include <string>

#include "libwm/launch/launcher.h"

namespace wm::shepherd {

/// Reads the end of the task's stderr file, writes its last line to `line_to`, and with `block`
/// what failure_block() makes of it to the task's `last_words`. Returns 0, or 1: not all was
/// written. A file that nobody wrote to since the task began says nothing of it.
int tell_last_words(const launch::TaskSpec& task, const launch::ExitRecord& record,
                    const std::string& host, int line_to, bool block);

}  // namespace wm::shepherd
