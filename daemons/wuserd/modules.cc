#include "daemons/wuserd/modules.h"

#include <spawn.h>
#include <sys/wait.h>

#include <map>
#include <mutex>
#include <string>

extern char** environ;

namespace wm::user {
namespace {

// Looks for it without running it.
bool is_there(const std::string& module) {
  auto code =
      "import importlib.util, sys; sys.exit(importlib.util.find_spec('" + module + "') is None)";
  char name[] = "python3", flag[] = "-c";
  char* argv[] = {name, flag, code.data(), nullptr};
  pid_t pid = 0;
  if (::posix_spawnp(&pid, name, nullptr, nullptr, argv, environ) != 0) return false;
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<void> need_module(const rest::Framework& framework) {
  static std::mutex mutex;
  static std::map<std::string, bool, std::less<>> known;
  std::lock_guard lock(mutex);
  auto found = known.find(framework.module);
  if (found == known.end())
    found = known.emplace(framework.module, is_there(std::string(framework.module))).first;
  if (found->second) return {};
  return fail(Code::Impossible, "framework " + std::string(framework.name) +
                                    ": the Python module " + found->first + " is not installed");
}

}  // namespace wm::user
