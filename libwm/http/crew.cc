#include "libwm/http/crew.h"

#include <chrono>
#include <system_error>
#include <thread>

namespace wm::http {
namespace {

constexpr auto kIdle = std::chrono::seconds(5);

}  // namespace

bool Crew::run(Job job) {
  std::unique_lock hold(lock_);
  if (idle_ > waiting_.size()) {
    waiting_.push_back(std::move(job));
    news_.notify_one();
    return true;
  }
  hold.unlock();
  try {
    std::thread([crew = shared_from_this(), job = std::move(job)]() mutable {
      do job();
      while (crew->take(job));
    }).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

bool Crew::take(Job& job) {
  std::unique_lock hold(lock_);
  ++idle_;
  bool any = news_.wait_for(hold, kIdle, [this] { return !waiting_.empty(); });
  --idle_;
  if (!any) return false;
  job = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

}  // namespace wm::http
