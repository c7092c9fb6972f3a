// Role: may a pending job start at all, hosts and limits aside: its begin time (-b) and its
// dependency condition (-w). Pure. Called by claim.cc for every pending job of a pass, and by
// the master, which ends orphans.
#pragma once

#include <optional>
#include <string>

#include "libwm/expr/depend.h"
#include "libwm/model/cluster.h"
#include "libwm/model/reason.h"

namespace wm::sched {

/// Why a job may not start yet, or never.
struct NotEligible {
  PendCode code = PendCode::Dependency;
  std::string text;  ///< LSF's sentence, with what is not met
};

/// Nothing when the job, or at least the next of the elements that an array's base stands for,
/// may start. @cost O(terms of its condition); nothing for a job without one
std::optional<NotEligible> not_eligible(const Cluster& cluster, const Job& job, WallTime now);

/// Of the elements that the base stands for, how many from the next on may start: those that
/// wait for their like in another array start in order. @cost O(elements x terms) at the most
std::uint32_t eligible_elements(const Cluster& cluster, const Job& base);

/// The standings that conditions ask for. @owns borrows `cluster`
expr::Standings standings_of(const Cluster& cluster);

}  // namespace wm::sched
