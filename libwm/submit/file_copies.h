// Role: files that travel with a job: what -f says, and the copy of its input that -is makes.
// @source LSF bsub -f, -is (which spools below ~/.lsbatch)
#pragma once

#include <string>

#include "libwm/base/result.h"
#include "libwm/model/job.h"

namespace wm::cmd {

/// "local op [remote]": op is > (to the execution host before the job), < (back after it), << (the
/// same, appended) or ><, <> (both). Without remote the path is the same there.
/// @errors BadArgument: no operator, no local file, or more words
Result<FileCopy> parse_file_copy(const std::string& text);

/// Copies `file` (relative: to `cwd`) to a new file below `home`/.lsbatch, readable by its owner
/// only, and returns its path. @errors System: cannot be read or written   @cost O(file)
Result<std::string> spool_input(const std::string& file, const std::string& cwd,
                                const std::string& home);

}  // namespace wm::cmd
