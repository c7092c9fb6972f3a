// Role: which tokens are revoked, asked of the master with a request when it was asked long ago: a
// wuserd that nobody uses asks nothing. wgatewayd refuses them before; this holds for who has taken
// it over, too.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "libwm/client/master.h"
#include "libwm/login/token.h"

namespace wm::user {

/// @thread any
class Revoked {
 public:
  explicit Revoked(ClusterConf conf) : conf_(std::move(conf)) {}

  /// Is it good no more, as far as was known 2 s ago? While the master is away, as it said last.
  /// @cost at times a question; at most one request waits for its answer
  bool hold(const rest::Claims& claims);

 private:
  void ask();

  ClusterConf conf_;
  std::mutex asking_, mutex_;
  std::optional<client::Master> master_;          // Guarded by asking_.
  Revocations told_;                              // Guarded by mutex_.
  std::chrono::steady_clock::time_point next_{};  // Guarded by mutex_.
};

}  // namespace wm::user
