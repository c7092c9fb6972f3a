// Role: a submission as a JSON file (bsub -spec): the options of bsub under names of their own, the
// job's task groups, and what only executions have. Pure.
//
//   {"name": "fit", "queue": "normal", "run_limit": "2:00",
//    "groups": [{"name": "chief", "command": "python3 fit.py"},
//               {"name": "worker", "command": "python3 fit.py", "tasks": 2, "gpu": "num=1"}]}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/job.h"

namespace wm::cmd {

/// What a specification file says.
struct SpecFile {
  std::vector<std::string> options;  ///< as words of bsub: "-q", "normal", "-ar"
  std::string command;               ///< empty: it has groups, or the command line says
  std::vector<TaskGroup> groups;
  Execution exec;  ///< without a bundle
  bool open = false;
};

/// @errors BadArgument: no JSON object (line and column are said); a key that is not known, with
///   the nearest that is; a value of another type. What the values mean is for others to check:
///   make_spec, expr::check_groups
/// @cost O(length)   @thread any
Result<SpecFile> read_spec_file(std::string_view text);

/// Adds what is no option to what the options made. @errors as expr::check_groups
Result<void> add_spec_file(SpecFile file, JobSpec& spec);

}  // namespace wm::cmd
