// Role: may a pending job start at all, hosts and limits aside: its begin time (-b), its
// dependency condition (-w), and the pause after a pre-execution command that failed. Pure. Called
// by memory.cc for every pending job of a pass, and by the master, which ends orphans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/expr/depend.h"
#include "libwm/model/cluster.h"
#include "libwm/model/reason.h"

namespace wm::sched {

/// Why a job may not start yet, or never.
struct NotEligible {
  PendCode code = PendCode::Dependency;
  std::string text;  ///< LSF's sentence, with what is not met
};

/// After a pre-execution command that failed: when its job is tried again, and where first on
/// others than the hosts that it failed on.
struct Retry {
  WallTime at{};
  WallTime others_until{};    ///< till then those hosts are left out if others would do
  std::vector<HostId> hosts;  ///< rising
};

/// The retry of a pending job after such an end. The pause doubles with every try.
/// @cost O(tasks)
std::optional<Retry> retry_of(const Job& job);

/// Nothing when the job, or at least one of the elements that an array's base stands for, may
/// start. NeverMet when none of them ever may.
/// @cost O(terms of its condition); O(elements x terms) of a base with elements that wait for their
/// like; nothing for a job without a condition
std::optional<NotEligible> not_eligible(const Cluster& cluster, const Job& job, WallTime now);

/// Of the elements that the base stands for, those that may start: indexes, in order. Nothing
/// unless each waits for its like in another array, so that all may or none.
/// @cost O(elements x terms) at the most
std::optional<std::vector<std::uint32_t>> eligible_elements(const Cluster& cluster,
                                                            const Job& base);

/// The elements with a condition that can never be met. @cost as eligible_elements
std::optional<std::vector<std::uint32_t>> lost_elements(const Cluster& cluster, const Job& base);

/// The standings that conditions ask for. @owns borrows `cluster`
expr::Standings standings_of(const Cluster& cluster);

}  // namespace wm::sched
