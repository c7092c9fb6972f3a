#include "daemons/wgrpc/conversation.h"

#include <chrono>

#include "libwm/base/clock.h"

namespace wm::grpc_door {

bool Conversation::put(serve::StreamTask task) {
  task.arrived = steady_now();
  std::unique_lock hold(lock_);
  room_.wait(hold, [this] { return queue_.has_room() || abandoned_; });
  if (abandoned_) return false;
  queue_.put(std::move(task));
  news_.notify_one();
  return true;
}

void Conversation::end() {
  std::lock_guard hold(lock_);
  ended_ = true;
  news_.notify_one();
}

std::optional<serve::StreamQueue::Turn> Conversation::next() {
  std::unique_lock hold(lock_);
  for (;;) {
    auto turn = queue_.next(steady_now());
    if (turn) room_.notify_one();
    if (turn || ended_) return turn;
    news_.wait(hold);
  }
}

void Conversation::abandon() {
  std::lock_guard hold(lock_);
  abandoned_ = true;
  room_.notify_one();
}

}  // namespace wm::grpc_door
