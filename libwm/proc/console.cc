#include "libwm/proc/console.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "libwm/base/clock.h"
#include "libwm/frames/blocking.h"
#include "libwm/launch/plain.h"

namespace wm::proc {
namespace {

constexpr std::uint32_t kRows = 24, kColumns = 80;
constexpr auto kAgentPatience = std::chrono::seconds(10);
constexpr int kBetweenCalls = 5;  ///< @units ms

/// What goes in front of the descriptors.
struct Greeting {
  TaskNumber task;
  bool terminal = false;
};
WM_PLAIN(Greeting) { f(s.task), f(s.terminal); }

void unblock(const Fd& fd) {
  if (fd) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

Result<void> make_pipe(Fd& read, Fd& write) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return system_error("pipe");
  read.reset(fds[0]);
  write.reset(fds[1]);
  return {};
}

Result<Console> make_terminal(const TerminalSize& size) {
  Console made;
  made.ours.terminal = true;
  made.ours.out.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  int master = made.ours.out.get();
  char name[64];
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0 ||
      ::ptsname_r(master, name, sizeof name) != 0)
    return system_error("terminal");
  made.theirs.in.reset(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!made.theirs.in) return system_error(std::string("terminal ") + name);
  resize_terminal(master, size);
  return made;
}

Result<void> take_console_fd(int from, Fd& into) {
  WM_TRY(auto fd, receive_fd(from));
  if (!fd) return fail(Code::Damaged, "a console's caller hung up");
  into = std::move(*fd);
  return {};
}

}  // namespace

Result<Console> make_console(bool terminal, const TerminalSize& size) {
  if (terminal) return make_terminal(size);
  Console made;
  WM_TRY(make_pipe(made.theirs.in, made.ours.in));
  WM_TRY(make_pipe(made.ours.out, made.theirs.out));
  WM_TRY(make_pipe(made.ours.err, made.theirs.err));
  return made;
}

void resize_terminal(int master, const TerminalSize& size) {
  winsize to{};
  to.ws_row = static_cast<unsigned short>(size.rows != 0 ? size.rows : kRows);
  to.ws_col = static_cast<unsigned short>(size.columns != 0 ? size.columns : kColumns);
  ::ioctl(master, TIOCSWINSZ, &to);
}

Result<void> enter_console(const ProcessEnds& ends) {
  bool terminal = !ends.out;
  if (terminal && ::ioctl(ends.in.get(), TIOCSCTTY, 0) != 0)
    return system_error("controlling terminal");
  const std::array<int, 3> fds{ends.in.get(), terminal ? ends.in.get() : ends.out.get(),
                               terminal ? ends.in.get() : ends.err.get()};
  for (int i = 0; i < 3; ++i)
    if (::dup2(fds[static_cast<std::size_t>(i)], i) < 0) return system_error("dup2");
  return {};
}

Result<Fd> call_agent(const std::string& socket) {
  auto until = steady_now() + kAgentPatience;
  while (true) {
    auto fd = connect_unix(socket);
    bool later = !fd && fd.error().code == Code::Unavailable;
    if (!later || steady_now() > until) return fd;
    ::poll(nullptr, 0, kBetweenCalls);
  }
}

Result<void> call_console(const ConsoleCall& call) {
  WM_TRY(auto agent, call_agent(call.socket));
  WM_TRY(auto console, make_console(call.terminal, call.size));
  launch::PlainWriter words;
  words(Greeting{call.task, call.terminal});
  WM_TRY(frames::write_frame(agent.get(), words.take()));
  for (const Fd* end : {&console.ours.in, &console.ours.out, &console.ours.err})
    if (*end) WM_TRY(send_fd(agent.get(), end->get()));
  return enter_console(console.theirs);
}

Result<ConsoleArrival> receive_console(int fd) {
  WM_TRY(auto peer, peer_of(fd));
  WM_TRY(auto bytes, frames::read_frame(fd));
  Greeting words;
  launch::PlainReader reader(bytes ? std::string_view(*bytes) : std::string_view());
  reader(words);
  if (!reader.done()) return fail(Code::Damaged, "a console's caller made no sense");
  ConsoleArrival arrival{words.task, peer.pid, {}};
  arrival.ends.terminal = words.terminal;
  if (!words.terminal) WM_TRY(take_console_fd(fd, arrival.ends.in));
  WM_TRY(take_console_fd(fd, arrival.ends.out));
  if (!words.terminal) WM_TRY(take_console_fd(fd, arrival.ends.err));
  for (const Fd* end : {&arrival.ends.in, &arrival.ends.out, &arrival.ends.err}) unblock(*end);
  return arrival;
}

}  // namespace wm::proc
