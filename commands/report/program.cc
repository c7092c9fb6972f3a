#include "commands/report/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "libwm/base/clock.h"

namespace wm::cmd {
namespace {

constexpr std::size_t kMostOut = 16 << 20;

/// A descriptor that is closed when it goes.
class Pipe {
 public:
  Result<void> open() {
    if (::pipe2(ends_, O_CLOEXEC) == 0) return {};
    return fail(Code::System, std::string("no pipe: ") + std::strerror(errno));
  }
  ~Pipe() { close(0), close(1); }
  int operator[](int end) const { return ends_[end]; }
  void close(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

[[noreturn]] void become(const std::vector<std::string>& words, int in, int out) {
  std::vector<char*> args;
  for (const auto& word : words) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::setpgid(0, 0);
  ::dup2(in, 0);
  ::dup2(out, 1);
  int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) ::dup2(null, 2);
  ::execvp(args[0], args.data());
  ::_exit(127);
}

// Gives the input and takes the output until both are at their end, or `until`. One that has closed
// its output may still read.
bool talk(Pipe& to, Pipe& from, const std::string& input, std::string& out,
          std::chrono::steady_clock::time_point until) {
  std::size_t given = 0;
  ::fcntl(to[1], F_SETFL, O_NONBLOCK);
  while (from[0] >= 0 || to[1] >= 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_now());
    if (left.count() <= 0) return false;
    pollfd fds[2] = {{from[0], POLLIN, 0}, {to[1], POLLOUT, 0}};
    if (::poll(fds, to[1] >= 0 ? 2 : 1, static_cast<int>(left.count())) < 0 && errno != EINTR)
      return false;
    if (to[1] >= 0 && fds[1].revents) {
      auto n = ::write(to[1], input.data() + given, input.size() - given);
      if (n > 0) given += static_cast<std::size_t>(n);
      if (given == input.size() || (n < 0 && errno != EAGAIN && errno != EINTR)) to.close(1);
    }
    if (from[0] < 0 || !fds[0].revents) continue;
    char part[65536];
    auto n = ::read(from[0], part, sizeof part);
    if (n <= 0) from.close(0);
    else if (out.size() < kMostOut) out.append(part, static_cast<std::size_t>(n));
  }
  return true;
}

// False: it has not ended yet at `until`.
bool ended(pid_t pid, int& status, std::chrono::steady_clock::time_point until) {
  for (;;) {
    auto done = ::waitpid(pid, &status, WNOHANG);
    if (done == pid || (done < 0 && errno != EINTR)) return true;
    if (steady_now() >= until) return false;
    ::usleep(2000);
  }
}

}  // namespace

Result<ProgramEnd> run_program(const std::vector<std::string>& words, const std::string& input,
                               Duration limit) {
  Pipe to, from;
  WM_TRY(to.open());
  WM_TRY(from.open());
  ::signal(SIGPIPE, SIG_IGN);
  auto pid = ::fork();
  if (pid < 0) return fail(Code::System, std::string("cannot fork: ") + std::strerror(errno));
  if (pid == 0) become(words, to[0], from[1]);
  to.close(0);
  from.close(1);
  if (input.empty()) to.close(1);
  auto until = steady_now() + limit;
  ProgramEnd end;
  int status = 0;
  if (!talk(to, from, input, end.out, until) || !ended(pid, status, until)) {
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    return fail(Code::Timeout, words[0] + " did not end within " + format_duration(limit));
  }
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (end.code == 127) return fail(Code::NotFound, words[0] + ": not found, or cannot be run");
  return end;
}

}  // namespace wm::cmd
