// Role: running jobs that make way for a pending job of a higher queue, when nothing gentler
// helped. The ladder, gentlest first: elastic jobs shrink (donors.h, always) → jobs are told to
// save their work, end and wait again → jobs without GPUs are stopped where they are (parked):
// their slots go to the other, their memory does not, they go on once the slots are free again →
// jobs that cannot run twice are ended.
//
//   pending, no place ─► candidates: lower queues that its own preempts, gentlest and
//                        least-work-lost first ─► released one by one until the job fits,
//                        ─► those not needed are put back ─► Preempt pieces and a promise
//
// A claim that holds places at a date is searched for as if it held none; others' dates stand: it
// has to be gone by then, or fit beside them.
//
// Groups of a job that live together go together, unless one is parked: the room of all of them
// counts once one of them has to go (libwm/fsm/group_fsm.h tells the others).
//
// An element of an array that others make way for becomes a job of its own (libwm/fsm).
//
// Invariants: nobody makes way unless the job then fits, whole, with all its rules, and no holder
// that stands before it would start there instead; only queues
// of strictly lower priority make way; no victim is superfluous. Never a cycle: let V be the
// waiting jobs and W > number of jobs; the potential sum over V of W^rank falls with every
// preemption, since one job of a high rank stops waiting for victims of lower rank, which wait
// for it (Pass::mark_owed) and so cannot start, or go on, before it. Called by schedule.cc.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "libwm/sched/demand/claim.h"
#include "libwm/sched/placement/place.h"
#include "libwm/sched/placement/reserve.h"
#include "libwm/sched/shares/plan_tree.h"

namespace wm::sched {

/// A pending claim that starts once its victims are gone.
struct Victims {
  std::vector<const Claim*> victims;  ///< gentlest first; empty: no way
  std::vector<Share> shares;          ///< where the job goes then
};

/// Does the queue of `winner` preempt jobs of the queue of `loser`, which lets itself be?
/// @cost O(preempts)
bool may_preempt(const QueueConf& winner, const QueueConf& loser);

/// How a job makes way: of a queue with preempt_by = requeue always by waiting again; of one with
/// suspend or kill so if it may run twice, else it is stopped (never one with GPUs or whole hosts;
/// those are left alone: none) or ended. @cost O(log apps)
std::optional<MakeWay> way_of(const Config& config, const Job& job);

/// The search for way, over what a pass has left. Keeps what it promised taken.
class Preemptor {
 public:
  /// `left_alone`: says of a job that it gives room in another way in this pass.
  using LeftAlone = std::function<bool(JobId)>;
  Preemptor(const Config& config, const Claims& claims, Places& places, Reservations& held,
            LeftAlone left_alone)
      : config_(config),
        claims_(claims),
        places_(places),
        held_(held),
        left_alone_(std::move(left_alone)) {}

  /// Jobs that have to go so that one of `claim` fits. Found: the victims' room is released and the
  /// job's taken, for the rest of the pass. Not found: nothing is changed.
  /// @cost O(candidates x (GPUs + hosts)), at most 256 candidates
  Victims find(const Claim& claim);

 private:
  Victims search(const Claim& claim);
  void try_without(const std::vector<const Claim*>& victims);
  void put_back();
  bool goes_to_an_earlier_one(const Claim& claim, const std::vector<const Claim*>& victims);
  struct Candidate {
    const Claim* claim;
    MakeWay how;
  };
  std::vector<Candidate> candidates(const Claim& claim) const;
  Duration longest_grace(const std::vector<Candidate>& from) const;
  bool is_victim(const Claim& claim) const;
  bool is_spared(const Job& job) const;
  bool helps(const Claim& claim, const Candidate& candidate) const;
  std::vector<const Claim*> going_with(const Claim& victim, MakeWay how) const;
  void release(const Claim& victim, MakeWay how);
  void release(const Claim& victim) { release(victim, *way_of(config_, *victim.job)); }
  std::vector<const Claim*> enough(const Claim& claim, const std::vector<Candidate>& from);
  std::vector<const Claim*> needed(const Claim& claim, std::vector<const Claim*> victims);
  bool fits_without(const Claim& claim, const std::vector<const Claim*>& victims);

  const Config& config_;
  const Claims& claims_;
  Places& places_;
  Reservations& held_;
  LeftAlone left_alone_;
  std::vector<const Claim*> gone_;  // victims of this pass
  std::set<const Claim*> served_;   // claims that they made way for
};

}  // namespace wm::sched
