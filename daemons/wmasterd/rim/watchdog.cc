#include "daemons/wmasterd/rim/watchdog.h"

#include <execinfo.h>
#include <semaphore.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>

#include "libwm/base/clock.h"
#include "libwm/base/log.h"

namespace wm::master {
namespace {

constexpr int kSignal = SIGUSR1;  // USR2 has the log opened anew
constexpr int kDeepest = 48;
constexpr int kOfSignals = 2;  // the handler and the kernel's return from it

// What the handler fills: it has no arguments of ours, and may use nothing that locks.
struct Noted {
  void* calls[kDeepest];
  int count = 0;
  sem_t ready;
} noted;

void note_calls(int) {
  const int kept = errno;
  noted.count = ::backtrace(noted.calls, kDeepest);
  ::sem_post(&noted.ready);
  errno = kept;
}

std::int64_t count_now() { return steady_now().time_since_epoch().count(); }

// Empty when the thread does not answer: it is in the kernel where nothing interrupts it.
std::vector<std::string> stack_of(pthread_t thread) {
  while (::sem_trywait(&noted.ready) == 0) continue;  // an answer that came too late
  if (::pthread_kill(thread, kSignal) != 0) return {};
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  while (::sem_timedwait(&noted.ready, &until) != 0)
    if (errno != EINTR) return {"not interruptible"};
  std::unique_ptr<char*, decltype(&::free)> names(::backtrace_symbols(noted.calls, noted.count),
                                                  &::free);
  std::vector<std::string> stack;
  for (int i = kOfSignals; names && i < noted.count; ++i) stack.emplace_back(names.get()[i]);
  return stack;
}

}  // namespace

Watchdog::Watchdog(Duration limit, Say say)
    : limit_(limit), say_(std::move(say)), watched_(::pthread_self()), beat_(count_now()) {
  ::backtrace(noted.calls, kDeepest);  // its first call loads a library: not in a handler
  ::sem_init(&noted.ready, 0, 0);
  struct sigaction action {};
  action.sa_handler = note_calls;
  action.sa_flags = SA_RESTART;
  ::sigaction(kSignal, &action, nullptr);
  thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
  std::signal(kSignal, SIG_IGN);
}

void Watchdog::beat() { beat_.store(count_now(), std::memory_order_relaxed); }

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  for (auto last = count_now(); !ending_;) {
    wake_.wait_for(lock, limit_ / 4, [this] { return ending_; });
    if (ending_) return;
    auto passed = count_now() - last;
    last = count_now();
    look(Duration(passed));
  }
}

// A look that is late itself says that nothing of this process ran.
void Watchdog::look(Duration since_last_look) {
  auto beat = beat_.load(std::memory_order_relaxed);
  if (since_last_look > limit_) {
    told_ = beat;
    return say_(since_last_look, {});
  }
  Duration stalled(count_now() - beat);
  if (stalled <= limit_ || told_ == beat) return;
  told_ = beat;
  say_(stalled, stack_of(watched_));
}

void log_stall(Duration stalled, const std::vector<std::string>& stack) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(stalled).count();
  if (stack.empty()) return log::warn("process_stalled", {{"ms", ms}});
  std::string calls;
  for (const auto& call : stack) calls += (calls.empty() ? "" : " < ") + call;
  log::warn("loop_stalled", {{"ms", ms}, {"calls", calls}});
}

}  // namespace wm::master
