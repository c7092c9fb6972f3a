// Role: where the processes of jobs meet on this host: the ports of their rendezvous are leased and
// held here, and it is seen that they have met, and that some do not come.
#pragma once

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/own_host.h"
#include "daemons/wnoded/reporter.h"

namespace wm::node {

/// The rendezvous of the job's scripts is on this host.
bool serves_port(const HostOrder& order, const launch::HostFacts& host);

/// @thread the loop's
class Meetings {
 public:
  Meetings(const OwnHost& host, Reporter& reporter) : host_(host), reporter_(reporter) {}

  /// Takes ports for an attempt that meets here, before any process of it is told of one:
  /// those that the master has chosen, unless somebody has them; the order has the port then.
  /// @errors as proc::JobPorts
  Result<void> lease(const launch::AttemptKey& key, HostOrder& order);
  /// Ports that are told already (the attempt was adopted, or is started again) are held again, if
  /// they can be.
  void hold(const LocalAttempt& attempt);

  /// Looks who is at the ports where attempts meet. Tells once that tasks have met: from then on
  /// every process is started again at a new size; a restart of wnoded may repeat it. With
  /// `session`: tells who does not come, about every second. @cost O(attempts + connections of the
  /// machine)
  void on_tick(Attempts& attempts, bool session);

 private:
  std::uint16_t place_of(const LocalAttempt& attempt) const;
  void tell_missing(LocalAttempt& attempt, const PortUse& use);

  const OwnHost& host_;
  Reporter& reporter_;
  TimePoint due_{};
};

}  // namespace wm::node
