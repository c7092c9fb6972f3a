// Role: ports of this host that attempts have: leased, held over a restart of ours, kept for the
// account of their job, looked at. Core asks; the real ones are proc::JobPorts and proc::PortGuard.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libwm/proc/job_ports.h"
#include "libwm/proc/port_guard.h"
#include "libwm/proc/port_uses.h"

namespace wm::node {

/// @thread the loop's
class HostPorts {
 public:
  virtual ~HostPorts() = default;

  /// As proc::JobPorts, at this host's address.
  virtual Result<std::uint32_t> lease(const launch::AttemptKey& key, const proc::PortRange& range,
                                      std::uint32_t wanted) = 0;
  virtual Result<void> hold(const launch::AttemptKey& key, std::uint32_t first) = 0;
  /// Lets go what the attempt has, and the rule for it.
  virtual void release(const launch::AttemptKey& key) = 0;
  /// Only this account reaches this port of the attempt's until it is released.
  /// @errors as proc::PortGuard; Denied: this daemon is not root
  virtual Result<void> guard(const launch::AttemptKey& key, std::uint16_t port,
                             std::uint32_t uid) = 0;
  /// Who is at the local ports that are its keys. @cost O(connections of the machine)
  virtual void look_at(std::map<std::uint16_t, PortUse>& uses) = 0;
};

/// Those of the machine.
class RealPorts : public HostPorts {
 public:
  /// `address`: this host's, which may change. `owner`: as proc::PortGuard has it.
  RealPorts(const std::string& address, const std::string& owner)
      : address_(address), guard_(proc::PortGuard::of_this_machine(owner)) {}
  Result<std::uint32_t> lease(const launch::AttemptKey& key, const proc::PortRange& range,
                              std::uint32_t wanted) override {
    return ports_.lease(key, range, wanted);
  }
  Result<void> hold(const launch::AttemptKey& key, std::uint32_t first) override {
    return ports_.hold(key, address_, first);
  }
  void release(const launch::AttemptKey& key) override;
  Result<void> guard(const launch::AttemptKey& key, std::uint16_t port, std::uint32_t uid) override;
  void look_at(std::map<std::uint16_t, PortUse>& uses) override { proc::look_at_ports(uses); }
  /// Once what still runs is held: rules that a daemon of before made for what has ended go.
  void drop_old_rules();

 private:
  const std::string& address_;
  proc::JobPorts ports_;
  proc::PortGuard guard_;
  std::map<launch::AttemptKey, std::uint16_t> guarded_;  // of those that have one, the port
};

}  // namespace wm::node
