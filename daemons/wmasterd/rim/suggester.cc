#include "daemons/wmasterd/rim/suggester.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "daemons/wmasterd/rim/system_error.h"
#include "libwm/base/clock.h"

namespace wm::master {
namespace {

using Clock = std::chrono::steady_clock;

// Waits until the descriptor is ready; false: the time is over.
bool ready(int fd, short events, Clock::time_point until) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_now()).count();
  pollfd one{fd, events, 0};
  return left > 0 && ::poll(&one, 1, static_cast<int>(left)) > 0;
}

}  // namespace

// Its end of a socket pair is both its standard input and output: it goes when we go.
Result<void> Suggester::start() {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return system_error("socketpair");
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, pair[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, pair[1], STDOUT_FILENO);
  char* argv[] = {program_.data(), nullptr};
  char path[] = "PATH=/usr/bin:/bin";
  char* env[] = {path, nullptr};
  int error = ::posix_spawn(&pid_, program_.c_str(), &files, nullptr, argv, env);
  ::posix_spawn_file_actions_destroy(&files);
  ::close(pair[1]);
  if (error != 0) {
    ::close(pair[0]);
    pid_ = 0;
    return fail(Code::System, program_ + ": " + std::strerror(error));
  }
  to_ = from_ = pair[0];
  ::fcntl(to_, F_SETFL, O_NONBLOCK);
  rest_.clear();
  return {};
}

void Suggester::end() {
  if (pid_ == 0) return;
  ::close(to_);
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  to_ = from_ = -1;
}

Result<std::string> Suggester::ask_once(const std::string& line, Duration limit) {
  const auto until = steady_now() + limit;
  const auto late = fail(Code::Timeout, program_ + ": no answer in time");
  std::string_view out(line);
  while (!out.empty()) {
    if (!ready(to_, POLLOUT, until)) return late;
    auto n = ::send(to_, out.data(), out.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return system_error(program_);
    if (n > 0) out.remove_prefix(static_cast<std::size_t>(n));
  }
  for (;;) {
    if (auto end = rest_.find('\n'); end != std::string::npos) {
      auto answer = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return answer;
    }
    if (!ready(from_, POLLIN, until)) return late;
    char block[1 << 16];
    auto n = ::recv(from_, block, sizeof block, 0);
    if (n == 0) return fail(Code::System, program_ + ": has ended");
    if (n < 0 && errno != EAGAIN && errno != EINTR) return system_error(program_);
    if (n > 0) rest_.append(block, static_cast<std::size_t>(n));
  }
}

Result<std::string> Suggester::ask(const std::string& line, Duration limit) {
  bool fresh = pid_ == 0;
  if (fresh) WM_TRY(start());
  auto answer = ask_once(line + "\n", limit);
  if (answer) return answer;
  bool late = answer.error().code == Code::Timeout;
  end();
  if (fresh || late) return answer;
  WM_TRY(start());
  answer = ask_once(line + "\n", limit);
  if (!answer) end();
  return answer;
}

}  // namespace wm::master
