// Role: one stream of tasks while it is answered: what its client sends is put in by the thread
// that reads, its turns are taken by the one that asks the service and writes. Of this folder only.
//
//   Read ─► put (waits for room) ─► StreamQueue ─► next (waits for a task) ─► wuserd ─► Write
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "libwm/serve/streams.h"

namespace wm::grpc_door {

/// @thread two: put and end for one, next and abandon for the other
class Conversation {
 public:
  explicit Conversation(const serve::StreamRules& rules) : queue_(rules) {}

  /// Waits until there is room: meanwhile nothing is read, and the client cannot send on.
  /// False: nobody answers any more.
  bool put(serve::StreamTask task);
  /// That was all.
  void end();

  /// Waits for the next turn; nothing: all have been taken.
  std::optional<serve::StreamQueue::Turn> next();
  /// Nobody takes the answers.
  void abandon();

 private:
  std::mutex lock_;
  std::condition_variable room_, news_;
  // Guarded by lock_.
  serve::StreamQueue queue_;
  bool ended_ = false, abandoned_ = false;
};

}  // namespace wm::grpc_door
