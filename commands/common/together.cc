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
#include "libwm/base/exit_status.h"
#include "libwm/base/whole_lines.h"
#include "libwm/client/signals.h"
#include "libwm/proc/process.h"

namespace wm::cmd {
namespace {

/// For works that have ended and left others behind. @units milliseconds
constexpr int kQuiet = 300;

/// What is waited for: a work's end, or what it writes.
struct Awaited {
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
  [[noreturn]] void do_here(const Work& work, int out, int err);
  int listen();
  void read(Awaited& stream);
  void reap(Awaited& end);
  void pass_on();

  client::Signals signals_;
  std::vector<Awaited> sources_;
  int code_ = 0;
};

void write(int to, std::string_view text) { to == STDERR_FILENO ? complain(text) : say(text); }

bool is_end(const Awaited& source) { return source.pid != 0; }

/// The end of a new pipe that a work is to write to; -1: there is none to be had.
int Together::listen_to(int to) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) == 0) sources_.push_back({ends[0], 0, to});
  return ends[1];
}

void Together::do_here(const Work& work, int out, int err) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  signals_.let_through();
  ::_exit(work());
}

bool Together::start(const Work& work) {
  int out = listen_to(STDOUT_FILENO), err = listen_to(STDERR_FILENO);
  pid_t pid = out < 0 || err < 0 ? -1 : ::fork();
  if (pid == 0) do_here(work, out, err);
  for (int end : {out, err}) ::close(end);
  int ended = pid < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (ended >= 0) sources_.push_back({ended, pid});
  return ended >= 0;
}

void Together::read(Awaited& stream) {
  char bytes[16 << 10];
  auto n = ::read(stream.fd, bytes, sizeof bytes);
  if (n < 0 && errno == EINTR) return;
  std::string text;
  if (n > 0) {
    for (const auto& line : stream.lines.add({bytes, static_cast<std::size_t>(n)})) text += line;
  } else {
    text = stream.lines.rest();
    ::close(std::exchange(stream.fd, -1));
  }
  write(stream.to, text);
}

void Together::reap(Awaited& end) {
  int status = 0;
  ::waitpid(end.pid, &status, 0);
  if (code_ == 0) code_ = shell_status(status);
  ::close(std::exchange(end.fd, -1));
}

// What they write while they come to their ends is still to be passed on.
void Together::pass_on() {
  while (auto number = signals_.next())
    for (const auto& source : sources_)
      if (is_end(source) && *number != SIGWINCH) ::kill(source.pid, *number);
}

/// Takes what has come; 0: nothing for a while, as poll(2) says it.
int Together::listen() {
  std::vector<pollfd> fds{{signals_.descriptor(), POLLIN, 0}};
  for (const auto& source : sources_) fds.push_back({source.fd, POLLIN, 0});
  bool runs = std::any_of(sources_.begin(), sources_.end(), is_end);
  int ready = ::poll(fds.data(), fds.size(), runs ? -1 : kQuiet);
  if (ready <= 0) return ready;
  if (fds[0].revents != 0) pass_on();
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (fds[i + 1].revents != 0) is_end(sources_[i]) ? reap(sources_[i]) : read(sources_[i]);
  std::erase_if(sources_, [](const Awaited& source) { return source.fd < 0; });
  return ready;
}

int Together::wait() {
  while (!sources_.empty() && listen() != 0) continue;
  for (auto& stream : sources_) write(stream.to, stream.lines.rest());
  return code_;
}

}  // namespace

Result<int> run_together(std::span<const Work> works) {
  Together together;
  for (const Work& work : works)
    if (!together.start(work))
      return fail(Code::Unavailable, std::to_string(works.size()) +
                                         " commands at once: no process or pipe is left for them");
  return together.wait();
}

}  // namespace wm::cmd
