#include "daemons/wuserd/files/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "libwm/base/clock.h"

extern char** environ;

namespace wm::user {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 1 << 20;

// Reads both pipes until both are closed or the time is over. False: it was over.
bool collect(int out, int err, Clock::time_point end, Ran& ran) {
  pollfd both[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&ran.output, &ran.errors};
  while (both[0].fd >= 0 || both[1].fd >= 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_now()).count();
    if (left <= 0 || ::poll(both, 2, static_cast<int>(left)) <= 0) return false;
    for (int i = 0; i < 2; ++i) {
      if (both[i].revents == 0) continue;
      char block[4096];
      ssize_t n = ::read(both[i].fd, block, sizeof block);
      if (n <= 0) both[i].fd = -1;
      else if (texts[i]->size() < kMostOutput) texts[i]->append(block, static_cast<std::size_t>(n));
    }
  }
  return true;
}

}  // namespace

Ran run_program(const std::vector<std::string>& words, int limit_s) {
  Ran ran;
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return ran;
  if (::pipe2(err, O_CLOEXEC) != 0) {
    ::close(out[0]);
    ::close(out[1]);
    return ran;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  if (failed == 0) {
    if (!collect(out[0], err[0], steady_now() + std::chrono::seconds(limit_s), ran)) {
      ::kill(pid, SIGKILL);
      ran.errors += "it took too long";
    }
    int status = 0;
    if (::waitpid(pid, &status, 0) == pid && WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  }
  ::close(out[0]);
  ::close(err[0]);
  return ran;
}

}  // namespace wm::user
