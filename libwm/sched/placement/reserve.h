// Role: gives pending jobs dated reservations, and keeps jobs that start earlier from delaying
// them. Placement asks in dispatch order: a pending claim that finds no room gets the first date at
// which the skyline has room for it, and those places. A later claim may use them only if it is
// gone by that date, or fits beside the first.
//
//   none          no job starts before an earlier one that waits for room
//   easy          the first that waits holds places; the dates of others are estimates
//   conservative  every waiting job holds places, up to a number, and keeps them from pass to
//                 pass: its date never moves later, however jobs end before their limits
//
// Elastic jobs count with their minimum: they grow into what is held and give it back when
// the date comes (mark_due). A claim that only lacks shares gets no date.
// Called by placement.cc and schedule.cc.
// @source EASY: Lifka, JSSPP 1995; conservative: Mu'alem, Feitelson, IEEE TPDS 12(6), 2001
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "libwm/sched/placement/advance.h"
#include "libwm/sched/placement/skyline.h"
#include "libwm/sched/shares/plan_tree.h"

namespace wm::sched {

/// What a pass is told of time.
struct Clock {
  WallTime now{};
  Duration grace{};  ///< a task that is asked to leave may take so long
};

/// Time as a pass sees it: when it is, and what ends when. Shared by all placings of the pass.
struct Timeline {
  Clock clock;
  std::optional<Skyline> skyline;  ///< made when the first date is asked for
};

/// Pending claims of active reservations start whatever their user's share is, as far as the slots
/// that are kept go. @cost O(claims), O(1) without reservations
void mark_reserved(Claims& claims);

/// Marks pending claims as due when their promised date has come, or when they fit already: they
/// start whatever their user's share is. From its date on a claim is owed its minimum, and gives
/// nothing to a higher queue. Under easy only the first promised claim is marked; in strict order
/// all that fit before the first that does not.
/// @cost O(claims + hosts), O(claims) when nothing was promised
void mark_due(Claims& claims, const PlanTree& tree, const SchedPolicy& policy, Clock clock);

/// The dates of one placing.
class Reservations {
 public:
  /// @owns borrows all; one placing at a time uses the timeline
  Reservations(const Claims& claims, const PlanTree& tree, const SchedPolicy& policy,
               Timeline& timeline);

  /// Before any claim is placed: claims that were promised places in an earlier pass keep them.
  /// @cost O(claims), and where some were: O(running tasks + hosts + steps of those places)
  void keep(Places& places);
  /// Does it keep places from pass to pass? @cost O(log claims that do)
  bool keeps(const Claim& claim) const { return kept_.count(&claim) > 0; }
  /// It may start now, or be given an earlier date: what it keeps is free for it until take_back
  /// or hold_for. @cost as Skyline::vacate
  void let_go(const Claim& claim);
  /// It does not start in this pass, or only when others have left: it keeps what it kept.
  /// @cost as Skyline::occupy
  void take_back(const Claim& claim);

  /// A task of what runs makes way for a claim. begin … rollback undoes it.
  /// @cost as Skyline::leave
  void leave(std::uint32_t room, const Job& job, const Task& task, bool parks);
  /// Others make way for it, which starts there when they have left: instead of what it kept and
  /// let go. @cost as Skyline::occupy
  void move(const Claim& claim, const std::vector<Share>& shares);
  /// Jobs that make way may from now on take `extra` longer than the grace. A claim that starts
  /// then must still be gone by the dates of others. @cost O(1)
  void wait_longer(Duration extra) { extra_ = extra; }
  /// Does it hold places at a date? @cost O(log claims that do)
  bool holds(const Claim& claim) const { return keeps(claim) || &claim == first_; }

  /// A pending claim does not start: it may get a date and hold places.
  /// @cost O(hosts) the first time, then as Skyline::earliest
  void hold_for(const Claim& claim, Places& places);
  /// Dates of those that hold nothing, as an estimate. Where the bound on the work does not allow
  /// all of them: of those without a date that is to come, then of the others in turn.
  /// @cost as hold_for, each
  void estimate(const std::vector<const Claim*>& waiting, Places& places);

  /// True if the claim may not start because of its place in the order. @cost O(1)
  bool bars(const Claim& claim) const;
  /// Of `most` tasks, those that take nothing that is held. @cost O(steps of the room)
  std::int64_t allows(const Places& places, const Claim& claim, std::uint32_t room, When when,
                      std::int64_t most, const TasksByRoom& has) const;
  /// Tasks of the claim were placed; Future: they start when others have left, after the grace at
  /// the latest. @cost O(steps of the room)
  void occupy(const Claim& claim, const Share& share, When when);

  /// begin … rollback undoes what was occupied since; commit keeps it. @cost as Skyline
  void begin();
  void rollback();
  void commit();

  /// From here on claims grow: those that can be shrunk again may use what is held.
  /// @cost O(1)
  void let_grow() { growing_ = true; }

  /// The first that holds places; none: {}. @cost O(1)
  JobId first() const { return first_ ? first_->id : JobId{}; }
  /// All of them. @cost O(claims that do)   @owns borrowed
  std::vector<const Claim*> holders() const;
  /// Does anybody hold places, an advance reservation too? @cost O(1)
  bool any() const { return first_ || !kept_.empty() || advance_->any(); }
  /// Dates found, in the order in which they were asked. @owns borrowed
  const std::vector<DatedStart>& dates() const { return dates_; }

 private:
  struct Kept {
    std::vector<Share> shares;
    Window window;
  };
  struct Taken {
    const Claim* claim;
    Share share;
    Window window;
  };

  bool may_hold(const Claim& claim) const;
  std::uint64_t price_of(const Claim& claim, bool alike) const;
  std::vector<const Claim*> affordable(const std::vector<const Claim*>& waiting) const;
  std::vector<Share> promised_shares(const Claim& claim) const;
  std::optional<Window> promised_window(const Claim& claim, const std::vector<Share>& shares,
                                        Places& places) const;
  Dated again(const Claim& claim);
  Window window_if(const Claim& claim, WallTime from) const;
  Window after_others(const Claim& claim) const;
  std::vector<PromisedPlace> places_of(const std::vector<Share>& shares) const;
  std::optional<Dated> date_of(const Claim& claim, Places& places);
  void build();
  void add_ends(const Claim& claim);
  bool passes_freely(const Claim& claim) const {
    // It gives back what it starts with only at its end, so promises bind a claim that is to start.
    bool binds = policy_.backfill == Backfill::Conservative || claim.limit == Duration{};
    bool stays = claim.pending() && claim.admitted == 0 && binds;
    return growing_ && claim.resizes && !stays;
  }

  const Claims& claims_;
  const SchedPolicy& policy_;
  Timeline& timeline_;
  Clock clock_;
  PlanUse slots_, gpus_;
  std::unique_ptr<Advance> advance_;
  Skyline* skyline_ = nullptr;  // the timeline's, once this placing has asked for a date
  std::vector<bool> held_;      // rooms
  std::vector<Taken> taken_;
  std::size_t mark_ = 0;
  const Claim* first_ = nullptr;
  std::map<const Claim*, Kept> kept_;  // conservative: of earlier passes, and of this one
  std::vector<DatedStart> dates_;
  std::uint64_t work_ = 0;
  Duration extra_{};
  bool estimating_ = false;
  bool growing_ = false;
};

}  // namespace wm::sched
