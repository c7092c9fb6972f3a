// Role: how many of wgrpc's threads one user's calls may hold: a wuserd that answers nothing holds
// its own user's alone. Pure but for its lock. Of this folder only.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace wm::grpc_door {

/// Calls under way, by user. @thread any
class Shares {
 public:
  explicit Shares(std::size_t most) : most_(most) {}

  /// One call, for as long as it lives.
  class Call {
   public:
    Call(Shares& shares, std::string user) : shares_(shares), user_(std::move(user)) {
      std::lock_guard hold(shares_.mutex_);
      auto& calls = shares_.calls_[user_];
      admitted_ = calls < shares_.most_;
      calls += admitted_ ? 1 : 0;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      if (!admitted_) return;
      std::lock_guard hold(shares_.mutex_);
      auto found = shares_.calls_.find(user_);
      if (--found->second == 0) shares_.calls_.erase(found);
    }
    /// False: the user has as many as there may be.
    bool is_admitted() const { return admitted_; }

   private:
    Shares& shares_;
    std::string user_;
    bool admitted_ = false;
  };

  /// Users with calls under way. @cost O(1)
  std::size_t users() const {
    std::lock_guard hold(mutex_);
    return calls_.size();
  }

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> calls_;  // Guarded by mutex_.
};

}  // namespace wm::grpc_door
