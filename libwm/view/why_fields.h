// Role: what bwhy shows: one row per constraint that keeps a job from starting, and the same
// as sentences. Pure; the reasons are the scheduler's. @source DESIGN 8
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// One reason of one job.
struct ShownReason {
  JobId job;
  PendReason reason;
};

/// Every reason of every job, in the order given. @cost O(reasons)
std::vector<ShownReason> reasons_of(std::span<const JobView> jobs);

/// Every field, in the order of `-o all`. @cost O(1)
std::span<const Field<ShownReason>> reason_fields();

/// What keeps one job, a line a reason, and what would change it. @cost O(reasons)
std::string why_text(const JobView& view);

}  // namespace wm::view
