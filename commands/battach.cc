// battach: a shell in a running job, on a task's host or a named one of its hosts, in that host's
// part of the job, with the task's environment and folder; for the job's owner only.
// @source LSF battach
#include <sys/wait.h>

#include "commands/common/command.h"
#include "commands/common/interactive.h"
#include "libwm/client/launch.h"
#include "libwm/submit/job_names.h"

namespace wm::cmd::battach {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"L", Kind::Text, "shell", "This shell instead of the owner's"},
    {"l", Kind::Flag, "", "As a login: the shell reads its profile"},
    {"m", Kind::Text, "host", "On this host of the job"},
};

// "12", "12[3]", "12.2", "12[3].2"
Result<AttachRequest> target_of(const std::string& word) {
  auto dot = word.find('.');
  std::string job = word.substr(0, dot), task = dot == word.npos ? "" : word.substr(dot + 1);
  WM_TRY(auto ids, parse_job_ids({&job, 1}));
  AttachRequest request{ids[0], {}, {}};
  if (dot == word.npos) return request;
  auto number = parse_job_ids({&task, 1});  // a task is a positive number, as a job is
  if (!number || (*number)[0].index != 0)
    return fail(Code::BadArgument, word + ": '" + task + "' is no task");
  request.task = TaskNumber{(*number)[0].job};
  return request;
}

// What is to run; empty: the owner's shell. A login shell is chosen by the SHELL it finds there.
std::vector<std::string> command_of(const Parsed& options) {
  std::vector<std::string> argv(options.words.begin() + 1, options.words.end());
  auto shell = options.first("L");
  if (options.has("l")) {
    std::vector<std::string> login{"/bin/sh", "-c", R"(exec "${0:-$SHELL}" -l "$@")",
                                   shell.value_or("")};
    argv.insert(argv.begin(), login.begin(), login.end());
  } else if (shell) {
    argv.insert(argv.begin(), *shell);
  }
  return argv;
}

Result<int> run(const Parsed& options) {
  if (options.words.empty()) return fail(Code::BadArgument, "battach: a job ID is wanted");
  WM_TRY(auto request, target_of(options.words.front()));
  WM_TRY(auto to, master());
  WM_TRY(auto where, find_door(to, request));
  LaunchStart start;
  start.pid = where.pid;
  auto size = client::size_of_terminal(0);
  start.terminal = size.rows != 0;
  start.rows = size.rows;
  start.columns = size.columns;
  start.argv = command_of(options);
  // On another host there is no process with that pid to take the environment of.
  if (auto host = options.first("m"); host && *host != where.host) {
    start.host = *host;
    start.pid = 0;
  }
  WM_TRY(auto ended, converse(where, start, start.terminal));
  if (ended.refused) return fail(Code::Unavailable, "battach: " + ended.text);
  return WIFSIGNALED(ended.status) ? 128 + WTERMSIG(ended.status) : WEXITSTATUS(ended.status);
}

}  // namespace
}  // namespace wm::cmd::battach

int main(int argc, char** argv) {
  using namespace wm::cmd::battach;
  return main_of(
      {"battach",
       "battach [-l] [-L shell] [-m host] job_id[[index]][.task] [command [argument ...]]",
       kOptions, wm::cmd::Words::Last},
      argc, argv, run);
}
