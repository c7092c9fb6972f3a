#include "libwm/proc/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "libwm/base/clock.h"
#include "libwm/proc/channel.h"

extern char** environ;

namespace wm::proc {
namespace {

constexpr std::size_t kMostOutput = 64 << 10;  // the end of it is kept
constexpr std::size_t kMostLine = 400;
constexpr auto kLook = std::chrono::milliseconds(20);  // a program may close its output early

// A file in memory that is read from its beginning: a program need not read all of it, or any. -1:
// there is none.
int file_of(const std::string& input) {
  int fd = ::memfd_create("input", MFD_CLOEXEC);
  for (std::size_t at = 0; fd >= 0 && at < input.size();) {
    auto n = ::write(fd, input.data() + at, input.size() - at);
    if (n <= 0) return ::close(fd), -1;
    at += static_cast<std::size_t>(n);
  }
  if (fd >= 0) ::lseek(fd, 0, SEEK_SET);
  return fd;
}

// Own group, default signals, nothing inherited but the pipe and `input`; -1: /dev/null.
int spawn_words(const std::vector<std::string>& words, int input, int output, pid_t& pid) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  if (input >= 0) ::posix_spawn_file_actions_adddup2(&files, input, 0);
  else ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, 1);
  ::posix_spawn_file_actions_adddup2(&files, output, 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t all, none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  int error = ::posix_spawnp(&pid, argv[0], &files, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

void keep_end(std::string& text, const char* bytes, std::size_t n) {
  text.append(bytes, n);
  if (text.size() > kMostOutput) text.erase(0, text.size() - kMostOutput / 2);
}

// What there is to read now; false when nobody holds the other end any more.
bool drain(int fd, std::string& text) {
  char block[4096];
  for (;;) {
    auto n = ::read(fd, block, sizeof block);
    if (n > 0) keep_end(text, block, static_cast<std::size_t>(n));
    else return n < 0 && (errno == EAGAIN || errno == EINTR);
  }
}

// Waits for the end of the process itself: what it leaves behind may hold the pipe for long.
bool wait_for(pid_t pid, int fd, Duration limit, std::string& text, int& status) {
  auto deadline = steady_now() + limit;
  for (bool open = true;;) {
    pollfd wait{open ? fd : -1, POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(kLook.count()));
    if (open) open = drain(fd, text);
    if (::waitpid(pid, &status, WNOHANG) == pid) return drain(fd, text), true;
    if (steady_now() >= deadline) return false;
  }
}

std::string ended_how(int status) {
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return "was ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

std::string last_line(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  auto begin = text.rfind('\n');
  return std::string(text.substr(begin == text.npos ? 0 : begin + 1).substr(0, kMostLine));
}

Result<std::string> run_command(const std::vector<std::string>& words, Duration limit,
                                const std::string& input) {
  if (words.empty()) return fail(Code::BadArgument, "no program to run");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(Code::System, words[0] + ": no pipe: " + std::strerror(errno));
  Fd from(ends[0]), to(ends[1]);
  ::fcntl(from.get(), F_SETFL, O_NONBLOCK);
  Fd in(input.empty() ? -1 : file_of(input));
  if (!input.empty() && in.get() < 0)
    return fail(Code::System, words[0] + ": no room for its input: " + std::strerror(errno));
  pid_t pid = 0;
  if (int error = spawn_words(words, in.get(), to.get(), pid); error != 0)
    return fail(Code::System, words[0] + ": cannot be started: " + std::strerror(error));
  to.reset();
  std::string text;
  int status = 0;
  bool ended = wait_for(pid, from.get(), limit, text, status);
  ::kill(-pid, SIGKILL);  // also what it left behind
  if (!ended) {
    ::waitpid(pid, &status, 0);
    return fail(Code::Timeout, words[0] + " was killed after " + format_duration(limit));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  auto said = last_line(text);
  return fail(Code::System, words[0] + " " + ended_how(status) + (said.empty() ? "" : ": " + said));
}

}  // namespace wm::proc
