#include "daemons/wmasterd/rim/suggester.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "libwm/base/clock.h"
#include "libwm/proc/channel.h"

namespace wm::master {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Waits until the descriptor is ready; false: the time is over.
bool ready(int fd, short events, SteadyClock::time_point until) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_now()).count();
  pollfd one{fd, events, 0};
  return left > 0 && ::poll(&one, 1, static_cast<int>(left)) > 0;
}

}  // namespace

Result<void> Suggester::start() {
  WM_TRY(auto pair, proc::socket_pair());
  int its = pair.second.get();
  proc::Start wanted{{program_}};
  wanted.environment = {{"PATH=/usr/bin:/bin"}};
  wanted.descriptors = {{its, STDIN_FILENO}, {its, STDOUT_FILENO}};
  WM_TRY(child_, proc::Process::start(wanted));
  line_ = std::move(pair.first);
  ::fcntl(line_.get(), F_SETFL, O_NONBLOCK);
  rest_.clear();
  return {};
}

Result<std::string> Suggester::ask_once(const std::string& line, Duration limit) {
  const auto until = steady_now() + limit;
  const auto late = fail(Code::Timeout, program_ + ": no answer in time");
  std::string_view out(line);
  while (!out.empty()) {
    if (!ready(line_.get(), POLLOUT, until)) return late;
    auto n = ::send(line_.get(), out.data(), out.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return system_error(program_);
    if (n > 0) out.remove_prefix(static_cast<std::size_t>(n));
  }
  for (;;) {
    if (auto end = rest_.find('\n'); end != std::string::npos) {
      auto answer = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return answer;
    }
    if (!ready(line_.get(), POLLIN, until)) return late;
    char block[1 << 16];
    auto n = ::recv(line_.get(), block, sizeof block, 0);
    if (n == 0) return fail(Code::System, program_ + ": has ended");
    if (n < 0 && errno != EAGAIN && errno != EINTR) return system_error(program_);
    if (n > 0) rest_.append(block, static_cast<std::size_t>(n));
  }
}

Result<std::string> Suggester::ask(const std::string& line, Duration limit) {
  bool fresh = !child_;
  if (fresh) WM_TRY(start());
  auto answer = ask_once(line + "\n", limit);
  bool again = !answer && !fresh && answer.error().code != Code::Timeout;
  if (again) {
    WM_TRY(start());
    answer = ask_once(line + "\n", limit);
  }
  if (!answer) child_.reset();
  return answer;
}

}  // namespace wm::master
