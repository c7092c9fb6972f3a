#include "commands/common/together.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "commands/common/command.h"
#include "libwm/base/whole_lines.h"

namespace wm::cmd {
namespace {

/// For those whose works have ended. @units milliseconds
constexpr int kQuiet = 300;

/// What is waited for: a work's end, or what it writes.
struct Source {
  int fd = -1;
  pid_t pid = 0;  ///< of the work that ends; 0: a stream
  int to = -1;
  WholeLines lines = {};
};

class Together {
 public:
  bool start(const Work& work);
  int wait();

 private:
  int listen_to(int to);
  void read(Source& stream);
  void reap(Source& end);

  std::vector<Source> sources_;
  int code_ = 0;
};

/// The end of a new pipe that a work is to write to; -1: there is none to be had.
int Together::listen_to(int to) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) == 0) sources_.push_back({ends[0], 0, to});
  return ends[1];
}

bool Together::start(const Work& work) {
  int out = listen_to(STDOUT_FILENO), err = listen_to(STDERR_FILENO);
  pid_t pid = out < 0 || err < 0 ? -1 : ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::_exit(work());
  }
  for (int end : {out, err}) ::close(end);
  int ended = pid < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (ended >= 0) sources_.push_back({ended, pid});
  return ended >= 0;
}

void write(int to, std::string_view text) { to == STDERR_FILENO ? complain(text) : say(text); }

void Together::read(Source& stream) {
  char bytes[16 << 10];
  auto n = ::read(stream.fd, bytes, sizeof bytes);
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) {
    ::close(std::exchange(stream.fd, -1));
    return write(stream.to, stream.lines.rest());
  }
  for (const auto& line : stream.lines.add({bytes, static_cast<std::size_t>(n)}))
    write(stream.to, line);
}

void Together::reap(Source& end) {
  int status = 0;
  ::waitpid(end.pid, &status, 0);
  if (code_ == 0) code_ = code_of(status);
  ::close(std::exchange(end.fd, -1));
}

int Together::wait() {
  auto runs = [](const Source& source) { return source.pid != 0; };
  while (!sources_.empty()) {
    std::vector<pollfd> fds;
    for (const auto& source : sources_) fds.push_back({source.fd, POLLIN, 0});
    bool any = std::any_of(sources_.begin(), sources_.end(), runs);
    int ready = ::poll(fds.data(), fds.size(), any ? -1 : kQuiet);
    if (ready == 0) break;
    for (std::size_t i = 0; ready > 0 && i < fds.size(); ++i)
      if (fds[i].revents != 0) runs(sources_[i]) ? reap(sources_[i]) : read(sources_[i]);
    std::erase_if(sources_, [](const Source& source) { return source.fd < 0; });
  }
  for (auto& stream : sources_) write(stream.to, stream.lines.rest());
  return code_;
}

}  // namespace

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int run_together(std::span<const Work> works) {
  Together together;
  for (const Work& work : works) {
    if (together.start(work)) continue;
    complain("too many commands at once: no process or pipe is left\n");
    return kRefused;
  }
  return together.wait();
}

}  // namespace wm::cmd
