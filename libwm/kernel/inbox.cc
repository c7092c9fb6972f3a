#include "libwm/kernel/inbox.h"

#include <chrono>

#include "libwm/base/clock.h"

namespace wm::kernel {

void Inbox::put(Handed handed) {
  std::lock_guard hold(lock_);
  queue_.push_back(std::move(handed));
  news_.notify_one();
}

void Inbox::drop(const RouterLink* link) {
  std::lock_guard hold(lock_);
  std::erase_if(queue_, [&](const Handed& handed) { return handed.link == link; });
}

void Inbox::end(bool lost) {
  std::lock_guard hold(lock_);
  --open_;
  lost_ = lost_ || lost;
  news_.notify_all();
}

void Inbox::connected(bool is_there) {
  std::lock_guard hold(lock_);
  if (is_there) ++connected_;
  else --connected_;
}

bool Inbox::any_connected() {
  std::lock_guard hold(lock_);
  return connected_ > 0;
}

Result<std::optional<Handed>> Inbox::next() {
  std::unique_lock hold(lock_);
  news_.wait(hold, [this] { return open_ == 0 || !queue_.empty(); });
  if (queue_.empty() && lost_) return fail(Code::Unavailable, "the router does not come back");
  if (queue_.empty()) return std::optional<Handed>();
  auto handed = std::move(queue_.front());
  queue_.pop_front();
  handed.at = steady_now();
  return std::optional(std::move(handed));
}

}  // namespace wm::kernel
