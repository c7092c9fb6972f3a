// Role: what routers have handed to a kernel and nobody has taken yet. Filled by the thread of each
// connection, emptied by the kernel's workers.
//
// Invariant: who waits is woken when something comes, and when no router is left that could bring
// it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "libwm/base/units.h"
#include "libwm/serve/frames.h"

namespace wm::kernel {

class RouterLink;

/// A batch, and the connection that it came by.
struct Handed {
  RouterLink* link = nullptr;
  std::uint64_t connection = 0;
  serve::Batch batch;
  TimePoint at;
};

/// @thread any
class Inbox {
 public:
  /// @shape routers: that may bring something
  explicit Inbox(std::size_t routers) : open_(routers) {}

  /// Wakes who waits for it.
  void put(Handed handed);
  /// Forgets what came by it and was not taken: it is no longer ours to do.
  void drop(const RouterLink* link);
  /// Nothing comes from one of the routers any more; `lost`: though the kernel does not leave.
  void end(bool lost);
  /// A connection was made, or has ended.
  void connected(bool is_there);
  bool any_connected();
  /// The next batch; nothing: leave. @errors Unavailable: all routers are away for good
  Result<std::optional<Handed>> next();

 private:
  std::mutex lock_;
  std::condition_variable news_;
  // Guarded by lock_.
  std::deque<Handed> queue_;
  std::size_t open_, connected_ = 0;
  bool lost_ = false;
};

}  // namespace wm::kernel
