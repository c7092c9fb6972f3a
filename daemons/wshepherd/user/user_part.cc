#include "daemons/wshepherd/user/user_part.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "libwm/proc/spawn.h"

namespace wm::shepherd {
namespace {

[[noreturn]] void run_user_part(const UserPart& part, const std::function<int()>& work) {
  proc::close_all_but(part.keep);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) ::signal(signal, SIG_DFL);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setsid();  // a signal to the shepherd's group is not for the output's writer
  if (!proc::become(part.account)) ::_exit(126);
  ::umask(part.umask);
  if (part.cwd.empty() || ::chdir(part.cwd.c_str()) != 0) (void)!::chdir("/");
  ::_exit(work());
}

}  // namespace

std::string lost_words(int status) {
  if (WIFSIGNALED(status))
    return "its writer was ended by signal " + std::to_string(WTERMSIG(status));
  return std::strerror(WEXITSTATUS(status));
}

Result<pid_t> fork_as_user(const UserPart& part, const std::function<int()>& work) {
  auto pid = ::fork();
  if (pid < 0) return system_error("fork");
  if (pid == 0) run_user_part(part, work);
  return pid;
}

}  // namespace wm::shepherd
