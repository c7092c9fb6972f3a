// Role: from bsub's options to a job specification: pure, so that every rule is tested
// without a cluster. What stays open (queue, plan, what -R and -gpu come to) is filled in by
// the master. @source LSF bsub (lsf-surface 1.2)
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/expr/alternatives.h"
#include "libwm/model/job.h"
#include "libwm/model/job_request.h"
#include "libwm/submit/submit_options.h"

namespace wm::cmd {

/// A script's options behind those of the command line, which go first: where it says -o, the
/// script's -oo counts no more than its -o; -e, -i, -r, -I likewise, and all of -env.
/// @cost O(options)
void append_directives(Parsed& options, Parsed script);

/// What a submission takes from where it is made.
struct Surroundings {
  Identity who;
  std::string cwd, home, host;
  std::uint32_t umask = 022;
  std::vector<std::string> environment;  ///< "NAME=value"
  std::vector<std::string> sbatch;       ///< the same, of a translated job whatever -env says
  std::uint32_t rows = 0, columns = 0;   ///< of the terminal; 0: none
  WallTime now{};
  Bytes limit_unit{1 << 10};  ///< of -M, -v, -C and -S without a unit
  Bytes mem_unit{1 << 20};    ///< of rusage[mem=] without one
  /// Which PyTorch a job with this PATH and home imports (torch_version.h); null: nobody looks.
  std::function<std::string(const std::string& path, const std::string& home)> torch_of = {};
};

/// What is to run.
struct Source {
  std::string command;   ///< for a shell, or what a script is called
  std::string script;    ///< its text; empty: none
  bool spooled = false;  ///< -Zs: it is the file of the command's first word
};

/// The specification that these options ask for; options come from the command line first,
/// then from the script. LSB_DEFAULTQUEUE and LSB_DEFAULTPROJECT stand in for -q and -P.
/// @errors BadArgument: a value that does not read, in LSF's words where it has some
Result<JobSpec> make_spec(const Parsed& options, const Source& source,
                          const Surroundings& surroundings);

/// The specification of a job that a program asks for, by the same rules; its queue, too.
/// @errors as of the options: BadArgument
Result<JobSpec> make_spec(const JobRequest& request, const Surroundings& surroundings);

/// What about these options is probably not what was meant, a line; empty: nothing. @cost O(1)
std::string doubt_about(const Parsed& options, const Surroundings& here);

/// What these options say, and of `spec` the rest; -R and -nnodes apart. For those who submit and
/// those who change what was submitted.
/// @errors as make_spec
Result<void> read_options(const Parsed& options, const Surroundings& here, JobSpec& spec);

/// Ranks that find each other by PMIx are a fixed number.
/// @errors BadArgument
Result<void> check_ranks(const JobSpec& spec);

/// The requirements of all -R, with what -nnodes and the memory limit add, in place of those that
/// `spec` has; amounts of memory are in MB there.
/// @errors as make_spec
Result<void> read_requirements(const Parsed& options, const Surroundings& here, JobSpec& spec);

/// These requirements, with what -M reserves where they do not say how much. `reqs`: one at least.
void set_requirements(std::vector<expr::ResReq> reqs, JobSpec& spec);

/// The queues of -q "a b", in order; one empty name when none is given. @cost O(length)
std::vector<std::string> asked_queues(const Parsed& options, const Surroundings& surroundings);

/// The queues that such a text names; an empty one: LSB_DEFAULTQUEUE. @cost O(length)
std::vector<std::string> asked_queues(std::string_view text, const Surroundings& surroundings);

/// What -M says. @errors BadArgument: no size
Result<Bytes> memory_limit(const std::string& text, Bytes unit);

/// A path as it is from `base`. @cost O(length)
std::string absolute(const std::string& path, const std::string& base);

/// Nothing with a longer path could be opened on any host. @errors BadArgument
Result<void> check_length(std::string_view option, const std::string& text,
                          std::size_t most = 4095);

/// A specification of nothing yet: who submits, and where. @cost O(environment)
JobSpec spec_from(const Surroundings& surroundings);

/// Is this text a script rather than a program: it starts with #! or has #BSUB lines, and
/// holds no zero byte. @cost O(text)
bool is_script(std::string_view text);

/// What a script on stdin is called: its first command line. @cost O(text)
std::string first_command_of(std::string_view script);

}  // namespace wm::cmd
