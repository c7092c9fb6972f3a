// Role: what every command's main does: words to options, --help, -V and --wm-options, warnings
// about options without effect, the cluster's master, and an Error to stderr and an exit code.
//
//   int main(int argc, char** argv) { return wm::cmd::main_of({…table…}, argc, argv, body); }
//
// Invariant: nothing goes to stdout before the body prints; clients parse it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/client/master.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// Exit code of everything that was refused. @source LSF commands
inline constexpr int kRefused = 255;

/// Alone on the command line of any command it prints its table; see table_text().
inline constexpr std::string_view kTableOption = "--wm-options";

/// A command's name and table.
struct Command {
  std::string_view name;
  std::string_view synopsis;  ///< "bkill [options] job_id…"
  std::span<const Option> options;
  Words words = Words::Anywhere;
  std::string_view refusal;  ///< after an error's text: " Job not submitted."
  bool acts = false;  ///< its exit code says what was done, also where that cannot be printed
};

/// Takes the command line apart and runs `body`. Its value is the exit code; kRefused where
/// standard output took not all that was said, unless the command acts.
/// @thread main, once
int main_of(const Command& command, int argc, char** argv,
            const std::function<Result<int>(const Parsed&)>& body);

/// A variable of the environment; nothing when it is not set. @thread main
std::optional<std::string> environment(const char* name);

/// The configuration directory: WM_CONF_DIR, else /etc/wm.
std::string conf_dir();

/// What conf_dir() says of the cluster. @errors NotFound, BadArgument: the configuration
Result<ClusterConf> cluster_conf();

/// The master of the cluster that conf_dir() describes; connects at the first question.
/// @errors NotFound, BadArgument: the configuration
Result<client::Master> master();

/// Prints to stdout at once; main_of looks at the end whether it took everything.
void say(std::string_view text);
/// Prints to stderr: what a terminal would obey as '?', very long lines shortened in their middle.
void complain(std::string_view text);
/// Bytes of a job to stderr, as they are.
void pass_on(std::string_view bytes);

}  // namespace wm::cmd
