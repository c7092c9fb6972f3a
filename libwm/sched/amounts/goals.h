// Role: service classes (bsub -sla) that are behind their goals: so many of their pending jobs as
// it takes go before all others. Pure. Called by schedule.cc.
//
//   velocity    so many run at a time
//   throughput  so many end in an hour: as many at a time as their lengths make of it
//   deadline    all have ended when it closes: as many at a time as the time that is left asks for
//
// How long a job takes is its estimate (-We) or run limit; an hour where it states none.
#pragma once

#include <string>

#include "libwm/sched/demand/claim.h"

namespace wm::sched {

/// How a class stands.
struct GoalStanding {
  std::uint32_t running = 0, pending = 0;  ///< jobs
  std::uint32_t wanted = 0;                ///< that are to run at a time now
  bool active = false;                     ///< its windows are open, or its deadline is ahead
};

/// By what its jobs are: `lengths` of all of them together, pending and running.
/// @cost O(windows)
GoalStanding standing_of(const ServiceClass& sla, const ClockSteps& clock, WallTime now,
                         GoalStanding jobs, Duration lengths);

/// Marks the claims that go first and puts all in that order; tells when a window opens or closes
/// next, 0: none does. @cost O(claims log claims), O(1) without classes
WallTime put_goals_first(const Config& config, Claims& claims, WallTime now);

/// Those that go first start whatever their users' shares are, unless a limit bars them.
/// @cost O(claims)
void entitle_goals(Claims& claims);

}  // namespace wm::sched
