#include "libwm/client/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <array>

namespace wm::client {
namespace {

constexpr std::array kForwarded{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

}  // namespace

Signals::Signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : kForwarded) ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  fd_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() {
  ::close(fd_);
  let_through();
}

std::optional<int> Signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void Signals::let_through() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace wm::client
