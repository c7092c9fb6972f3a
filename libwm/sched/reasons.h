// Role: why a pending job waits, as LSF says it, with what would help: every constraint that
// binds, each with the hosts that it alone removes. The first reason is the one that decides;
// further limits follow, then what hosts lack, those that remove most hosts first. Alike jobs
// share one value, so the reasons of 100,000 jobs cost no more than those of one of each kind.
// Called by schedule.cc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "libwm/sched/amounts/budgets.h"
#include "libwm/sched/demand/claim.h"
#include "libwm/sched/placement/placement.h"
#include "libwm/sched/shares/plan_tree.h"

namespace wm::sched {

/// Writes the reasons of one pass.
class ReasonWriter {
 public:
  ReasonWriter(const Cluster& cluster, Claims& claims, const PlanTree& tree, const PlanUse& slots,
               const PlanUse& gpus, const Places& places, BudgetBook& budgets);

  /// Of a job that was no candidate. @cost O(log reasons)
  Reasons of(const Idle& idle);
  /// Of a candidate that does not start; `promise`: null, or what it waits for.
  /// @cost O(log reasons)
  Reasons of(const Claim& claim, const Promise* promise);

 private:
  const Shortage& shortage_of(const Claim& claim);
  // A limit on slots, as it concerns a claim.
  struct Limit {
    PendCode code;
    std::uint32_t slots, used;  // 0 slots: there is none
    std::string text, whose;
    std::string use() const {
      return ", " + std::to_string(used) + " of " + std::to_string(slots) + " slots in use";
    }
  };
  Limit limit_of(const Claim& claim, LimitOf of) const;
  PendReason idle_reason(const Idle& idle) const;
  PendReason limit_reason(const Claim& claim) const;
  std::optional<PendReason> reserved_reason(const Claim& claim) const;
  std::optional<PendReason> kept_gpu_reason(const Claim& claim) const;
  PendReason share_reason(const Claim& claim) const;
  PendReason unplaced_reason(const Claim& claim) const;
  PendReason preempted_reason(const Claim& claim) const;
  PendReason deciding_reason(const Claim& claim) const;
  void add_limits(const Claim& claim, std::vector<PendReason>& reasons) const;
  void add_shortages(const Claim& claim, std::vector<PendReason>& reasons);
  std::string use_of(const Claim& claim) const;

  const Cluster& cluster_;
  Claims& claims_;
  const PlanTree& tree_;
  const PlanUse& slots_;
  const PlanUse& gpus_;
  const Places& places_;
  BudgetBook& budgets_;
  // Slots in use: of a queue, of a user in a queue, of a user (empty: any).
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> held_;
  std::uint32_t beside_gpus_ = 0;  // slots that jobs with GPUs hold
  // What makes two reasons the same: kind, numbers of what they name, and a name.
  using Key = std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t, std::string_view>;
  static Key key_of(const Idle& idle);
  static Key key_of(const Claim& claim);

  std::map<Key, Reasons> shared_;
  std::map<std::uint32_t, Shortage> shortages_;  // by request
};

/// Why a job or its element is held: by its owner, or until its owner signs it anew. @cost O(1)
PendReason held_reason(const Job& job, JobId id);

/// A single reason for a job that no pass has looked at yet.
/// @cost O(1)   @thread any
Reasons new_job_reason();

}  // namespace wm::sched
