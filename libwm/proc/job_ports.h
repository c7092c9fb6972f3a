// Role: ports that tasks are promised for their rendezvous (MASTER_PORT). They are leased in
// blocks, bound before anybody is told, and stay bound with SO_REUSEADDR and not listening until
// the attempt ends: a program that sets SO_REUSEADDR too, as torch's TCPStore does, can bind
// and listen; a plain stranger cannot. They are bound on all addresses, since some programs listen
// there, as JAX's coordinator does: hosts that share a network namespace, of one cluster or of
// several, never lease one number at the same time, whatever their addresses are.
// Invariant: a port is leased only when nobody in this network namespace has it bound at any
// address, of this host's attempts or not; what another socket has left in its closing is no free
// port either.
// @source Linux: inet_csk_bind_conflict
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "libwm/base/result.h"
#include "libwm/launch/launcher.h"
#include "libwm/launch/placing.h"
#include "libwm/proc/channel.h"

namespace wm::proc {

/// Ports that leases are taken from. @shape first <= last
struct PortRange {
  std::uint32_t first = 0, last = 0;
  bool operator==(const PortRange&) const = default;
};

/// The ports held on this host. @thread one   @owns their sockets
class JobPorts {
 public:
  /// Finds a free block for the attempt, `wanted` if that is one, and holds it; what it has
  /// already, if it has some. `wanted` 0: any. Returns the first port.
  /// @errors Limit: no block of the range is free; System: no socket
  /// @cost one bind a port tried: a few, or all of the range when it is full
  Result<std::uint32_t> lease(const launch::AttemptKey& key, const PortRange& range,
                              std::uint32_t wanted = 0);
  /// Holds this block again, after a restart of ours; holding it already is fine. A port at
  /// which the job listens cannot be bound any more, but is leased to nobody else; one that
  /// somebody has at another address is bound at `address` alone.
  /// @errors Conflict: another attempt has it
  Result<void> hold(const launch::AttemptKey& key, const std::string& address, std::uint32_t first);
  /// Lets the attempt's ports go. @cost one close each
  void release(const launch::AttemptKey& key) { held_.erase(key); }
  /// All ports of all leases. @cost O(leases)
  std::set<std::uint16_t> held() const;

 private:
  struct Held {
    std::uint32_t first = 0;
    std::array<Fd, launch::kPortsPerLease> sockets;
  };
  bool is_held(std::uint32_t first) const;
  Result<bool> take(const launch::AttemptKey& key, std::uint32_t first);
  static Result<Held> bind_block(std::uint32_t first);

  std::map<launch::AttemptKey, Held> held_;
};

}  // namespace wm::proc
