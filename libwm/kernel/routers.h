// Role: the routers of a kernel's service: a connection with each of them, one inbox. Below
// wmserve.cc.
#pragma once

#include <memory>
#include <vector>

#include "libwm/kernel/router_link.h"

namespace wm::kernel {

/// @thread any   @owns a thread for each router
class Routers {
 public:
  /// Connects, as wm_kernel_open: with one at least, the others when they are there. How many there
  /// are is in WM_SERVICE_REPLICA. @errors Timeout: no router; NotFound: no service in that folder
  static Result<std::unique_ptr<Routers>> open(const Place& place);

  /// As Inbox::next.
  Result<std::optional<Handed>> next() { return inbox_.next(); }
  /// Async-signal-safe.
  void leave();
  /// As the routers say.
  std::uint32_t workers() const;

 private:
  explicit Routers(std::size_t count) : inbox_(count) {}
  Result<void> connect_any(Duration patience);

  Inbox inbox_;
  std::vector<std::unique_ptr<RouterLink>> links_;
};

}  // namespace wm::kernel
