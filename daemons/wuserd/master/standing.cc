#include "daemons/wuserd/master/standing.h"

#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "libwm/base/backoff.h"
#include "libwm/base/hash.h"

namespace wm::user {
namespace {

constexpr auto kBetweenQuestions = std::chrono::seconds(2);

}  // namespace

Standing::Held Standing::keep(int fd, Question may_stay, bool looks) {
  std::lock_guard hold(mutex_);
  auto number = ++last_;
  all_[number] = {fd, std::move(may_stay)};
  if (looks && !looking_) {
    looking_ = true;
    std::thread([this] { look_on(); }).detach();
  }
  return Held(*this, number);
}

void Standing::look() {
  std::map<std::uint64_t, One> all;
  {
    std::lock_guard hold(mutex_);
    all = all_;
  }
  for (const auto& [number, one] : all) {
    if (one.may_stay()) continue;
    std::lock_guard hold(mutex_);
    if (all_.contains(number)) ::shutdown(one.fd, SHUT_RDWR);  // else the number is another's now
  }
}

void Standing::forget(std::uint64_t number) {
  std::lock_guard hold(mutex_);
  all_.erase(number);
}

// As long as there is one.
void Standing::look_on() {
  Backoff pause(kBetweenQuestions, kBetweenQuestions, random_number());
  for (;;) {
    pause.sleep();
    look();
    std::lock_guard hold(mutex_);
    if (!all_.empty()) continue;
    looking_ = false;
    return;
  }
}

}  // namespace wm::user
