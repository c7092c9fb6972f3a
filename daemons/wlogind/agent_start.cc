#include "daemons/wlogind/agent_start.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "libwm/files/fd.h"

namespace wm::login {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;
constexpr std::uint64_t kMostTasks = 4096;  // a connection is a thread
constexpr rlim_t kMostFiles = 8192;         // a connection is one, to another process a second

Result<void> limit(int what, rlim_t most) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return system_error("getrlimit");
  rlimit wanted{std::min(now.rlim_cur, most), std::min(now.rlim_max, most)};
  return ::setrlimit(what, &wanted) == 0 ? Result<void>() : Result<void>(system_error("setrlimit"));
}

}  // namespace

std::vector<std::string> agent_words(const AgentPlan& plan) {
  return {plan.program,
          "--listen-fd",
          std::to_string(kListenFd),
          "--guests-fd",
          std::to_string(kGuestsFd),
          "--conf",
          plan.conf,
          "--token-key",
          plan.folder + "/token.pub",
          "--web-user",
          plan.web_user};
}

std::vector<std::string> agent_environment(const proc::Account& account, const AgentPlan& plan) {
  std::vector<std::string> env{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + account.home,
                               "USER=" + account.name, "LOGNAME=" + account.name, "LANG=C.UTF-8"};
  env.insert(env.end(), plan.passed.begin(), plan.passed.end());
  return env;
}

// @source org.freedesktop.systemd1(5), StartTransientUnit; busctl(1): a(sv) is a number and its
// rows
std::vector<std::string> scope_words(pid_t pid, uid_t uid) {
  return {"/usr/bin/busctl",
          "--system",
          "--quiet",
          "--timeout=5",
          "call",
          "org.freedesktop.systemd1",
          "/org/freedesktop/systemd1",
          "org.freedesktop.systemd1.Manager",
          "StartTransientUnit",
          "ssa(sv)a(sa(sv))",
          "wm-wuserd-" + std::to_string(uid) + ".scope",
          "fail",
          "5",
          "PIDs",
          "au",
          "1",
          std::to_string(pid),
          "MemoryMax",
          "t",
          std::to_string(kMostMemory),
          "TasksMax",
          "t",
          std::to_string(kMostTasks),
          "Description",
          "s",
          "WM: web door of uid " + std::to_string(uid),
          "CollectMode",
          "s",
          "inactive-or-failed",
          "0"};
}

std::string passed_variable(const std::string& name) {
  const char* value = ::getenv(name.c_str());
  return value == nullptr ? "" : name + "=" + value;
}

Result<void> bind_down() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return system_error("no_new_privs");
  WM_TRY(limit(RLIMIT_CORE, 0));
  return limit(RLIMIT_NOFILE, kMostFiles);
}

}  // namespace wm::login
