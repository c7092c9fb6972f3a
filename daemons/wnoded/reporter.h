// Role: what the master is told of attempts, and what the host learns of itself by it: an end that
// is this host's own fault makes it look whether it can start jobs at all (probe.h).
#pragma once

#include "daemons/wnoded/attempts/local_attempt.h"
#include "daemons/wnoded/gpu_energy.h"
#include "daemons/wnoded/master_session.h"
#include "daemons/wnoded/probe.h"

namespace wm::node {

/// @thread the loop's
class Reporter {
 public:
  Reporter(MasterSession& session, Probe& probe, GpuEnergy& energy)
      : session_(session), probe_(probe), energy_(energy) {}

  /// Tells a fact about the attempt, unless it is forgotten. The end of a task is told with the
  /// energy that its GPUs used.
  void say(LocalAttempt& attempt, Fact fact);
  /// Tells something of it that holds at this moment only.
  void pass_on(Fact fact) { session_.pass_on(std::move(fact)); }

 private:
  MasterSession& session_;
  Probe& probe_;
  GpuEnergy& energy_;
};

}  // namespace wm::node
