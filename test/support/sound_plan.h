// Role: what holds of every plan, whatever it decides: the one place where the tests' harness
// checks it, each time a plan is made (SchedRun::plan).
#pragma once

#include "libwm/base/result.h"
#include "libwm/sched/plan/plan.h"

namespace wm::test {

/// Is the plan one for this state, as plan.h promises? At most one piece a job (but its tasks may
/// move: it grows and shrinks), each about a job that is as the piece takes it to be, all of which
/// the state still allows; a reason for each job that waits.
/// @errors Damaged: the first that does not hold, with its job
Result<void> check_plan(const Cluster& state, const sched::Plan& plan);

}  // namespace wm::test
