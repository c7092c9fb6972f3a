// Role: ports that tasks were promised (MASTER_PORT). The port is held bound with SO_REUSEADDR
// and not listening until the attempt ends: a program that sets SO_REUSEADDR too, as torch's
// TCPStore does, can bind it and listen; a plain stranger cannot.
// Invariant: a port belongs to at most one attempt of this host.
#pragma once

#include <map>
#include <string>

#include "libwm/base/result.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/launcher.h"

namespace wm::proc {

/// The ports held on this host. @thread one   @owns their sockets
class JobPorts {
 public:
  /// Holds address:port for the attempt; holding it already is fine.
  /// @errors Conflict: another attempt has it, or somebody listens there; System
  Result<void> hold(const AttemptKey& key, const std::string& address, std::uint32_t port);
  /// Lets the attempt's port go. @cost one close
  void release(const AttemptKey& key) { held_.erase(key); }

 private:
  struct Held {
    std::uint32_t port = 0;
    Fd fd;
  };
  std::map<AttemptKey, Held> held_;
};

}  // namespace wm::proc
