#include "daemons/wgatewayd/log_on_desk.h"

#include <thread>
#include <utility>

#include "libwm/base/clock.h"

namespace wm::gateway {
namespace {

// Each holds a thread of the server's, which has more than these and those that wait or ask.
constexpr std::size_t kMostDelayed = 128;

Error too_many() { return fail(Code::Limit, "too many failed attempts, wait a minute"); }

}  // namespace

Result<std::string> LogOnDesk::log_on(const std::string& address, const std::string& user,
                                      const std::function<Result<std::string>()>& ask) {
  auto begun = steady_now();
  std::unique_lock lock(mutex_);
  auto number = attempts_.enter(address, user, begun);
  news_.wait_until(lock, begun + turn_, [&] { return attempts_.turn(number) != rest::Turn::Wait; });
  bool goes = attempts_.turn(number) == rest::Turn::Go;
  auto made = Result<std::string>(too_many());
  if (goes) {
    lock.unlock();
    made = ask();
    lock.lock();
  }
  bool denied = !made && made.error().code == Code::Denied;
  attempts_.end(number, denied, steady_now());
  news_.notify_all();
  return denied ? refuse_late(lock, begun, std::move(made)) : made;
}

// Where too many wait already, all that is told is that there are too many.
Result<std::string> LogOnDesk::refuse_late(std::unique_lock<std::mutex>& lock, TimePoint begun,
                                           Result<std::string> made) {
  if (refusal_ == Duration::zero()) return made;
  if (delayed_ >= kMostDelayed) return too_many();
  ++delayed_;
  lock.unlock();
  std::this_thread::sleep_until(rest::refusal_time(begun, steady_now(), refusal_));
  lock.lock();
  --delayed_;
  return made;
}

bool LogOnDesk::is_first_refusal(const std::string& address, const std::string& user) {
  std::lock_guard lock(mutex_);
  return attempts_.is_first_refusal(address, user, steady_now());
}

}  // namespace wm::gateway
