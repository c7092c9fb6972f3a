// Role: budgets during a pass: how much room each has now, less what running jobs may still draw;
// which must wait for one, go last, or grow no more. Pure; the same numbers for bplans -b.
//
//   a job reserves   what its tasks (of an elastic one: its minimum) draw until its run limit, at
//                    most until the period ends; without a run limit the next hour, again and again
//   no room          refuse, shrink: it waits (PendCode::Budget)   lowest: it goes last
//   used up          refuse: no growth   shrink: elastic jobs go to their minimum   lowest: last
//
// Nothing is ever ended for a budget. Called by schedule.cc, the verb Budgets, admission.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/cluster.h"
#include "libwm/model/verbs/budget_verbs.h"
#include "libwm/sched/demand/claim.h"

namespace wm::sched {

/// A budget at an instant.
struct BudgetNow {
  const BudgetConf* conf = nullptr;
  BudgetSpan period;
  BudgetAccount account;  ///< brought up to now
  Drawn reserved;
  Drawn surplus;  ///< rate that no reservation covers
  /// For something new; of what it does not bound nothing is said. @cost O(1)
  Drawn room() const { return grant_of(*conf) + account.carried - account.used() - reserved; }
  /// Nothing is left of a bounded resource that `of` has any of. @cost O(1)
  bool is_empty(const Drawn& of) const;
  /// Is there room for that, too? @cost O(1)
  bool fits(const Drawn& cost) const;
};

/// All budgets at an instant. @owns borrows the cluster
class BudgetBook {
 public:
  /// @cost O(budgets + running jobs); O(1) without budgets
  BudgetBook(const Cluster& cluster, WallTime now);

  bool empty() const { return now_of_.empty(); }
  const std::vector<BudgetNow>& all() const { return now_of_; }
  /// Those that are in force for such a job. @cost as budgets_of
  std::vector<BudgetNow*> of(const JobSpec& spec);
  /// What such a job would reserve with so many tasks, of a budget in this period. @cost O(1)
  Drawn cost(const JobSpec& spec, std::uint32_t tasks, const BudgetSpan& period) const;
  /// The first instant at which one of them is used up, or a period ends that a job waits for;
  /// 0: none. @cost O(budgets)
  WallTime next_change() const;
  /// "/a has 120 of 5,000 GPU hours left in November 2026 (40 reserved); this job may need 384 = 4
  /// GPUs x 96 h; it fits with -W 20:00". @cost O(1)
  std::string text(const BudgetNow& budget, const JobSpec& spec, std::uint32_t tasks) const;
  /// The view of one. @cost O(1)
  BudgetView view(const BudgetNow& budget) const;

 private:
  void reserve(const Job& job);
  Duration covered(const Job& job) const;

  const Cluster& cluster_;
  WallTime now_;
  std::vector<BudgetNow> now_of_;  // as the configuration has them
};

/// What a new job's submitter is told of its budgets: those that are nearly used up, or are.
/// @errors Limit: one that says refuse is used up, or could never hold the job
/// @cost O(its budgets)
Result<std::vector<std::string>> budget_warnings(const Cluster& cluster, const JobSpec& spec,
                                                 WallTime now);

/// Bars pending claims that find no room, puts those of budgets that say so last, and bounds
/// elastic ones. Claims in dispatch order, again so afterwards.
/// @cost O(claims x budgets of each), O(1) without budgets
void apply_budgets(BudgetBook& book, std::vector<Claim>& claims);

/// The reason of a claim that was barred so. @cost O(budgets of it)
PendReason budget_reason(BudgetBook& book, const Claim& claim);

}  // namespace wm::sched
