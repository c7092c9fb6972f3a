// Role: what the connections of one server may take together: memory for bodies, connections of an
// account and of all, lines of the log. For server.cc alone.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/http/server.h"

namespace wm::http {

/// At a time, beyond what is taken: they are told to come again.
inline constexpr std::size_t kBusyAnswers = 64;

/// Memory for bodies, of all connections together. @thread any
class BodyRoom {
 public:
  explicit BodyRoom(Bytes all) : left_(all.value) {}
  /// False: so many are not left, and none is taken.
  bool take(std::int64_t bytes) {
    auto left = left_.load();
    while (left >= bytes)
      if (left_.compare_exchange_weak(left, left - bytes)) return true;
    return false;
  }
  void give(std::int64_t bytes) { left_ += bytes; }

 private:
  std::atomic<std::int64_t> left_;
};

/// How many connections are open, of each account. @thread any
class Open {
 public:
  explicit Open(const ServerOptions& options) : options_(options) {}

  /// One more of this account's; nothing: it has as many as it may. Yes: it is one too many of all,
  /// to be answered so.
  std::optional<bool> enter(uid_t uid) {
    std::lock_guard hold(mutex_);
    auto found = of_.find(uid);
    auto own = found == of_.end() ? 0 : found->second;
    if (own >= options_.of_one_account || all_ >= options_.connections + kBusyAnswers)
      return std::nullopt;
    ++of_[uid];
    return ++all_ > options_.connections;
  }
  void leave(uid_t uid) {
    std::lock_guard hold(mutex_);
    --all_;
    if (auto found = of_.find(uid); --found->second == 0) of_.erase(found);
  }
  std::size_t all() {
    std::lock_guard hold(mutex_);
    return all_;
  }

 private:
  const ServerOptions& options_;
  std::mutex mutex_;
  std::size_t all_ = 0;              // Guarded by mutex_.
  std::map<uid_t, std::size_t> of_;  // Guarded by mutex_.
};

/// Says in the log who is refused, once a second: an account that is refused often fills no log.
/// @thread that which accepts
class Refusals {
 public:
  void tell(uid_t peer, std::size_t open) {
    if (steady_now() - told_ < kBetweenLines) return;
    told_ = steady_now();
    log::warn("connection_refused", {{"uid", peer}, {"open", open}});
  }

 private:
  static constexpr auto kBetweenLines = std::chrono::seconds(1);
  std::chrono::steady_clock::time_point told_;
};

}  // namespace wm::http
