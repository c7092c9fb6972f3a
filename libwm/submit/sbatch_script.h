// Role: a script with #SBATCH lines and no #BSUB line as options of bsub, and the variables that
// such scripts read.
//
//   #SBATCH -N 2 --ntasks-per-node=4 --mem=8G   →  -n 8 -R "rusage[mem=8192/host] span[ptile=4]" …
//
// As sbatch reads it: lines that begin with #SBATCH, up to the first command. Options that are not
// in the table (sbatch_options.h) refuse the job.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/submit/submission.h"

namespace wm::cmd {

/// What the lines come to.
struct SbatchWords {
  std::vector<std::string> words;     ///< options of bsub
  std::vector<std::string> settings;  ///< "NAME=value": variables of the job
  std::vector<std::string> ignored;   ///< options without a meaning here, as they were written
  std::optional<std::string> wrap;    ///< a command in place of the script
};

/// Marks a job that was translated: the host sets the variables that depend on where it runs
/// (libwm/launch/slurm_env.h). Its value is by how much its indices are higher than Slurm's.
inline constexpr const char* kTranslated = "WM_SBATCH";

/// Is there a line that sbatch would read? @cost O(lines before the first command)
bool has_sbatch_lines(std::string_view script);

/// `file`: where the script is, which names a job without --job-name; empty: it came on stdin.
/// @errors BadArgument: an option that is not translated or a value that does not read, with its
///         name and line
/// @cost O(lines)
Result<SbatchWords> sbatch_words(std::string_view script, const std::string& file,
                                 const Surroundings& here);

/// Variables of a job of Slurm's, or of one that was translated, out of an environment; theirs are
/// of another job. @cost O(environment)
void drop_slurm_variables(std::vector<std::string>& environment);

}  // namespace wm::cmd
