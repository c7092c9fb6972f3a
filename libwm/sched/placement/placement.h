// Role: turns targets into places: which claims start and grow where, which shrink for others, and
// which wait for room that is being released. Minimums are placed first, in dispatch order,
// then growth, so that no job's fifth task takes the place of another's first.
//
// The first host of an elastic newcomer with GPUs is to be whole, as far as its target goes: tasks
// of one job that are scattered over hosts are slower, and stay so: nobody brings them together. A
// job on one host goes to a further one only where that makes it faster, and leaves it where not.
//
//   target not yet met ─► room now? ──yes──► start, grow
//                             no
//                             ├─► room with what is coming? ──► promised: waits
//                             ├─► room if donors' tasks leave? ──► they leave, promised: waits
//                             └─► cannot be placed: schedule.cc lowers the claim and divides again
//
// Invariants: a start uses only what is free now; what is promised to one is promised to
// nobody else, so the same shortage never makes two jobs shrink. Called by schedule.cc.
#pragma once

#include <map>
#include <vector>

#include "libwm/sched/placement/board.h"
#include "libwm/sched/placement/growth.h"
#include "libwm/sched/placement/promises.h"
#include "libwm/sched/placement/starts.h"

namespace wm::sched {

/// One placing of all claims.
class Placement {
 public:
  Placement(const Cluster& cluster, Claims& claims, const PlanTree& tree, const SchedPolicy& policy,
            Timeline& timeline)
      : board_(cluster, claims, tree, policy, timeline),
        promises_(board_),
        starts_(board_, promises_),
        growth_(board_, promises_) {}

  /// Places every claim up to its target. True if all found their places; else the claims
  /// that did not were lowered: a pending one is barred, a growing one's max is what it got.
  /// @cost O(claims + granted tasks x hosts looked at + promised tasks x hosts worth a look)
  bool run();

  /// Starts one of a pending claim if it fits in what is free and promised to nobody. One that a
  /// limit bars starts in what the limit has left beside claims that wait for room to come.
  /// @cost O(hosts looked at), and the claims that wait so where a limit bars it
  bool start_spare(Claim& claim) { return starts_.start_spare(claim); }

  /// What pending claims were given and nobody could use. @cost O(users)
  Units unused(bool gpu) const { return starts_.unused(gpu); }

  /// What came out, by claim. @owns borrowed
  const std::map<const Claim*, Placed>& placed() const { return board_.placed; }
  /// Claims that wait for released room. @owns borrowed
  const std::map<const Claim*, Promise>& promises() const { return board_.promises; }
  /// Tasks that shall leave, by job. @owns borrowed
  const std::map<JobId, Leaving>& leaving() const { return board_.donors.leaving(); }
  /// HostCapacities as they are left. @owns borrowed
  const Places& places() const { return board_.places; }
  Places& places() { return board_.places; }
  /// Places that are held at dates. @owns borrowed
  Reservations& held() { return board_.held; }
  /// As Starts::offer_kept.
  void offer_kept(bool offered) { starts_.offer_kept(offered); }
  /// As Board::promise.
  void promise(const Claim& claim, const Promise& more) { board_.promise(claim, more); }
  /// As Board::copy_id.
  JobId copy_id(const Claim& claim, std::size_t skip) const { return board_.copy_id(claim, skip); }
  /// The promised dates; `waiting` claims, in order, get one as far as there is none.
  /// @cost as Reservations::hold_for, each
  const std::vector<DatedStart>& date(const std::vector<const Claim*>& waiting);

 private:
  Board board_;
  Promises promises_;
  Starts starts_;
  Growth growth_;
};

}  // namespace wm::sched
