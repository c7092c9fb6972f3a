// Role: conversations with the master, lent to one request after another: making one costs more
// than most questions.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "libwm/client/master.h"

namespace wm::user {

/// A pool that grows as many are asked for at a time. @thread any
class Masters {
 public:
  explicit Masters(ClusterConf conf) : conf_(std::move(conf)) {}

  /// One conversation; goes back to the pool when it is let go.
  class Lease {
   public:
    Lease(Masters& pool, std::unique_ptr<client::Master> master)
        : pool_(&pool), master_(std::move(master)) {}
    Lease(Lease&&) = default;
    ~Lease() {
      if (master_) pool_->give_back(std::move(master_));
    }
    client::Master* operator->() { return master_.get(); }
    client::Master& operator*() { return *master_; }

   private:
    Masters* pool_;
    std::unique_ptr<client::Master> master_;
  };

  /// @errors NotFound: the master's account is not known here
  Result<Lease> take();

 private:
  void give_back(std::unique_ptr<client::Master> master);

  ClusterConf conf_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<client::Master>> idle_;  // Guarded by mutex_.
};

}  // namespace wm::user
