// Role: ports of this host that one account alone reaches, by rules of the kernel's packet filter.
// A server of a job that can listen at no unix socket listens at such a port: without the rule
// every account of the host would reach it by the loopback address, and so every host of the
// network where it listens on all addresses.
//
//   keep ─► iptables, and ip6tables where there is IPv6: to the port, from this host by another
//           account, or from elsewhere ─► reset
//   open ─► the same rules go          drop_others ─► those that a daemon of before has left go
//
// Each rule bears the owner's words as its comment, so that hosts and clusters that share a machine
// leave each other's alone.
// @source iptables-extensions(8): owner, comment
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "libwm/base/result.h"

namespace wm::proc {

/// The ports kept by one host daemon. @thread one
class PortGuard {
 public:
  /// Runs a command line and gives what it wrote. @errors as run_command
  using Run = std::function<Result<std::string>(const std::vector<std::string>&)>;

  /// `owner`: who makes the rules, in words without quotes: "wm c1/node2".
  /// `with_v6`: the machine has IPv6.
  PortGuard(std::string owner, bool with_v6, Run run)
      : owner_(std::move(owner)), with_v6_(with_v6), run_(std::move(run)) {}
  /// With iptables(8), each call within 5 s. Rules need root.
  static PortGuard of_this_machine(std::string owner);

  /// Only `account` reaches the port from now on; keeping it already is fine.
  /// @errors NotFound: no iptables; System: it refused, and no rule is left
  /// @cost about 10 ms a rule, four rules
  Result<void> keep(std::uint16_t port, uid_t account);
  /// Forgets the port; one that is not kept is fine. @cost as keep
  void open(std::uint16_t port);
  /// Rules of this owner for ports that are neither kept nor in `used` go. @cost about 10 ms a rule
  void drop_others(const std::set<std::uint16_t>& used);

 private:
  using Rule = std::vector<std::string>;  // words behind -I, from the chain on
  std::vector<Rule> rules(std::uint16_t port, uid_t account) const;
  std::vector<std::string> tools() const;
  void remove(std::uint16_t port, uid_t account);

  std::string owner_;
  bool with_v6_;
  Run run_;
  std::map<std::uint16_t, uid_t> kept_;
};

}  // namespace wm::proc
