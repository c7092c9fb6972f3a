// Role: equal division carried out ideally, to see how far a policy is from it: no scheduler and no
// hosts, every job has an equal part of the units at every instant, of fractions, at once, without
// pauses, packed, and as many as it is fastest with. A job with less than its least takes turns.
//
//   level: units for each job, of max-min filling; capped where a job is no faster with more
//   speed:  0 ── in proportion ── least tasks ── a line between whole sizes ── fastest
//
// Called by engine.cc for Policy::Ideal.
// @source generalized processor sharing: Parekh and Gallager, IEEE/ACM ToN 1 (3), 1993
#pragma once

#include "libwm/replay/engine.h"

namespace wm::replay {

/// Runs the list so. Starts are submissions, nothing is resized, no pass is timed. On a cluster
/// of GPUs jobs without any take nothing from others.
/// @cost O(events x jobs in the system), and once a job O(sizes x stages) for its speeds
Outcome ideal_shares(const Workload& workload, const Setup& setup, const Options& options);

}  // namespace wm::replay
