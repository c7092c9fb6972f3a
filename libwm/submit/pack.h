// Role: bsub -pack: a file with the options and command of a job on each line, as specifications
// that go to the master together. @source LSF bsub -pack
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/client/master.h"
#include "libwm/submit/submission.h"

namespace wm::cmd {

/// A line of the file that is a job, or why it is none.
struct PackLine {
  int number = 0;
  Result<client::PackJob> job;
};

/// What looks at a line's options before they are a job's, and may change or refuse them.
using LineFilter = std::function<Result<void>(const std::string& command, Parsed& options)>;

/// The jobs of a file: blank lines and those that begin with '#' are none. Options that are about
/// one job that somebody waits for (-I, -K, -is, -spec, -bundle, -env, -pack) cannot be given here.
/// @cost O(text)
std::vector<PackLine> pack_lines(std::string_view text, const Surroundings& here,
                                 const LineFilter& filter = nullptr);

}  // namespace wm::cmd
