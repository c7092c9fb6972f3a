// Role: why a pending job waits, as LSF says it, with what would help. The first reason is the
// one that decides; hosts that rules remove follow. Alike jobs share one value, so the
// reasons of 100,000 jobs cost no more than those of one of each kind.
// Called by schedule.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libwm/sched/claim.h"
#include "libwm/sched/plan_tree.h"
#include "libwm/sched/resize.h"

namespace wm::sched {

/// Writes the reasons of one pass.
class ReasonWriter {
 public:
  ReasonWriter(const Cluster& cluster, const Claims& claims, const PlanTree& tree,
               const PlanUse& slots, const PlanUse& gpus)
      : cluster_(cluster), claims_(claims), tree_(tree), slots_(slots), gpus_(gpus) {}

  /// Of a job that was no candidate. @cost O(log reasons)
  Reasons of(const Idle& idle);
  /// Of a candidate that does not start; `promise`: null, or what it waits for.
  /// @cost O(log reasons)
  Reasons of(const Claim& claim, const Promise* promise);

 private:
  PendReason limit_reason(const Claim& claim) const;
  PendReason share_reason(const Claim& claim) const;
  PendReason unplaced_reason(const Claim& claim) const;
  std::string use_of(const Claim& claim) const;

  const Cluster& cluster_;
  const Claims& claims_;
  const PlanTree& tree_;
  const PlanUse& slots_;
  const PlanUse& gpus_;
  // What makes two reasons the same: kind, numbers of what they name, and a name.
  using Key = std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>;
  static Key key_of(const Idle& idle);
  static Key key_of(const Claim& claim);

  std::map<Key, Reasons> shared_;
};

/// A single reason for a job that no pass has looked at yet.
/// @cost O(1)   @thread any
Reasons new_job_reason();

}  // namespace wm::sched
