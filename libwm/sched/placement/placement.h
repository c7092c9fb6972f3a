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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libwm/sched/amounts/gates.h"
#include "libwm/sched/placement/donors.h"
#include "libwm/sched/placement/place.h"
#include "libwm/sched/placement/reserve.h"

namespace wm::sched {

/// A claim with promised places that are not free yet.
struct Promise {
  std::int64_t tasks = 0;   ///< of them not free yet
  std::vector<JobId> from;  ///< jobs with tasks that leave there
};

/// A claim's places of this pass.
struct Placed {
  std::vector<Start> starts;  ///< one for each copy
  std::vector<Spot> more;     ///< for a running job
  TasksByRoom has;            ///< tasks by room, promised ones too
  std::int64_t tasks = 0;     ///< now, granted and promised
  std::int64_t ready = 0;     ///< of them now or granted
};

/// One placing of all claims.
class Placement {
 public:
  Placement(const Cluster& cluster, Claims& claims, const PlanTree& tree, const SchedPolicy& policy,
            Timeline& timeline);

  /// Places every claim up to its target. True if all found their places; else the claims
  /// that did not were lowered: a pending one is barred, a growing one's max is what it got.
  /// @cost O(claims + granted tasks x hosts looked at + promised tasks x hosts worth a look)
  bool run();

  /// Starts one of a pending claim if it fits in what is free and promised to nobody. One that a
  /// limit bars starts in what the limit has left beside claims that wait for room to come.
  /// @cost O(hosts looked at), and the claims that wait so where a limit bars it
  bool start_spare(Claim& claim);

  /// What pending claims were given and nobody could use. @cost O(users)
  Units unused(bool gpu) const;

  /// What came out, by claim. @owns borrowed
  const std::map<const Claim*, Placed>& placed() const { return placed_; }
  /// Claims that wait for released room. @owns borrowed
  const std::map<const Claim*, Promise>& promises() const { return promises_; }
  /// Tasks that shall leave, by job. @owns borrowed
  const std::map<JobId, Leaving>& leaving() const { return donors_.leaving(); }
  /// Rooms as they are left. @owns borrowed
  const Places& places() const { return places_; }
  Places& places() { return places_; }
  /// Places that are held at dates. @owns borrowed
  Reservations& held() { return held_; }
  /// What is kept free for parked jobs is offered to those that go before them, or kept again.
  /// @cost O(parked jobs x their rooms)
  void offer_kept(bool offered);
  /// Notes that a claim waits for jobs that make way, besides those that it waits for already.
  /// @cost O(log claims)
  void promise(const Claim& claim, const Promise& more);
  /// The job itself, or the element of the array that starts after `skip` others. @cost O(elements)
  JobId copy_id(const Claim& claim, std::size_t skip) const;
  /// The promised dates; `waiting` claims, in order, get one as far as there is none.
  /// @cost as Reservations::hold_for, each
  const std::vector<DatedStart>& date(const std::vector<const Claim*>& waiting);

 private:
  bool start_in_order();
  bool grow_class(bool gpu);
  bool start_or_hold(Claim& claim);
  bool start_or_hold_gang(const std::vector<Claim*>& gang);
  bool start_together(const std::vector<Claim*>& gang);
  bool promise_together(const std::vector<Claim*>& gang);
  void hand_down(Claim& claim);
  void give_up(Claim& claim, std::uint32_t placed);
  bool start_all(Claim& claim);
  bool go_on(Claim& claim);
  bool go_on_or_hold(Claim& claim);
  bool start_now(Claim& claim);
  std::int64_t on_first_host(const Claim& claim);
  bool start_on_one_host(Claim& claim);
  bool start_on_one_host(Claim& claim, std::int64_t tasks, bool gently);
  void start_at(Claim& claim, const std::vector<Share>& shares);
  bool promise_start(Claim& claim);
  bool grow(Claim& claim);
  std::optional<std::uint32_t> only_host(const Claim& claim, const Placed& placed,
                                         std::int64_t tasks) const;
  std::vector<Share> places_to_grow(const Claim& claim, std::int64_t more, const Placed& placed);
  void open_gate(Claim& claim, std::int64_t tasks);
  bool promise_on(Claim& claim, std::int64_t tasks, const std::vector<std::uint32_t>& hosts);
  std::int64_t promise(const Claim& claim, std::int64_t tasks, TasksByRoom& has,
                       const std::vector<std::uint32_t>& hosts);
  void grant(const Claim& claim, const Share& share, std::vector<Spot>& spots, Placed& placed);
  TasksByRoom rooms_of(const Job& job) const;
  bool is_hopeless(const Claim& claim) const;
  std::int64_t awaited_beside(const Claim& claim) const;
  void bar_hopeless();

  const Cluster& cluster_;
  Claims& claims_;
  Clock clock_;
  Places places_;
  Donors donors_;
  Gates gates_;
  Reservations held_;
  std::map<const Claim*, Placed> placed_;
  std::map<const Claim*, Promise> promises_;
  std::vector<std::pair<const Claim*, TasksByRoom>> kept_;  // for parked ones that wait
  std::map<std::pair<int, bool>, Units> unused_;            // by user and class (GPUs)
  struct Failed {
    std::int64_t tasks;  // that found no place,
    WallTime until;      // for so long
  };
  WallTime end_if_started(const Claim& claim) const;
  void remember_failure(const Claim& claim);
  std::map<std::uint32_t, Failed> failed_;        // by request: the least that failed
  std::map<std::uint32_t, std::int64_t> widest_;  // by request: most GPUs of a host
  // By request, and whether gently: the least tasks for which no host could be cleared.
  std::map<std::pair<std::uint32_t, bool>, std::int64_t> scattered_;
};

}  // namespace wm::sched
