// Role: stopping every process of an attempt at once, and letting them go on; what starts while it
// is stopped is stopped as well.
//
//   going ◄──Suspend{off}, any end that is ordered── stopped ◄──Suspend{on}── going
//
// By the freezer of the control groups where there is one, else by SIGSTOP to each; what the agent started
// for other hosts (blaunch, the daemons of mpirun) is in no freezer.
#pragma once

#include "daemons/wshepherd/attempt.h"

namespace wm::shepherd {

/// Stops all, or lets them go on; the job's clock with them. Repeated, it stops what is new.
/// @cost without a freezer a few listings of /proc
void set_suspended(Attempt& attempt, bool on);

}  // namespace wm::shepherd
