// Role: on which hosts the tasks of one claim go. Packs, unless queue, profile or job say
// otherwise (layout.h); ties by host number, so that the same input gives the same places. All
// or nothing where the caller says so (gang). Knows rooms and rules of span, not shares.
// Called by placement.cc and preempt.cc.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libwm/sched/capacity/layout.h"
#include "libwm/sched/demand/claim.h"

namespace wm::sched {

class Reservations;

/// Tasks of one job by room.
using TasksByRoom = std::map<std::uint32_t, std::int64_t>;

/// How many slots a queue has on a host; kept for queues with a limit per host.
using HostSlots = std::map<std::pair<const QueueConf*, std::uint32_t>, std::int64_t>;

/// HostCapacities, and what bounds a claim in one besides its size.
class Places {
 public:
  Places(Claims& claims, std::uint32_t hosts_looked_at);

  /// Tasks of this claim that fit in a room, at most `most`, with span, exclusive use and
  /// the queue's slots per host. `has`: tasks of the job by room, for one that grows.
  /// @cost O(GPUs)
  std::int64_t fits(const Claim& claim, std::uint32_t at, When when, std::int64_t most,
                    const TasksByRoom& has) const {
    return fits_in(claim, rooms_[at], at, when, most, has);
  }
  /// The same for a room as it might be. @cost O(GPUs)
  std::int64_t fits_in(const Claim& claim, const HostCapacity& room, std::uint32_t at, When when,
                       std::int64_t most, const TasksByRoom& has) const;
  /// The same, whatever is held for others. @cost O(GPUs)
  std::int64_t bare_fits(const Claim& claim, const HostCapacity& room, std::uint32_t at, When when,
                         std::int64_t most, const TasksByRoom& has) const;
  /// From now on nothing is offered that is held for others. @owns borrowed
  void respect(const Reservations& held) { held_ = &held; }

  /// Where `tasks` tasks fit now: all of them or, unless `whole`, as many as do.
  /// @cost O(hosts looked at x log); of plain requests only hosts with a free slot are
  std::vector<Share> choose(const Claim& claim, std::int64_t tasks, bool whole,
                            const TasksByRoom& has);

  /// Where all `tasks` tasks of a new job would fit if all that is coming were free; empty: they
  /// would not. @cost O(hosts x log)
  std::vector<Share> choose_coming(const Claim& claim, std::int64_t tasks);

  /// HostCapacities in which a slot is free or coming, and `more`; no other can take a task.
  /// @cost O(those + edited)
  Positions worth_a_look(const Positions& more) const;

  /// Sets of rooms of which any choice keeps the rules between a job's hosts (same[], cu[]);
  /// one where there are none, none at all for cu[excl]. Only those that are `worth` a look.
  /// @cost O(worth), O(hosts log hosts) where the request is not plain
  std::vector<Positions> host_sets(const Claim& claim, const Positions& worth) const;

  /// Hosts on which a job that has tasks already may grow, of those that are `worth` a look.
  /// @cost as host_sets
  Positions near_hosts(const Claim& claim, const TasksByRoom& has, const Positions& worth) const;

  /// Takes the room; returns the places task by task. @cost O(tasks)
  std::vector<Spot> take(const Claim& claim, const Share& share, const TasksByRoom& has);

  /// Of a claim that is parked: are as many slots, with their CPUs, free now as it had in each
  /// room? @cost O(rooms named)
  bool fit_slots(const Claim& claim, const TasksByRoom& had) const;
  /// Takes these slots and CPUs as far as they are free, and says which; memory it has. The other
  /// undoes it. @cost O(rooms named)
  TasksByRoom take_slots(const Claim& claim, const TasksByRoom& had);
  void return_slots(const Claim& claim, const TasksByRoom& taken);

  /// A task is asked to leave, or its job to be parked: what it then gives may be promised.
  /// @cost O(its GPUs)
  void release(const Claim& claim, std::uint32_t room, const Task& task, bool parks = false);

  /// begin … rollback undoes the takes and releases since; commit keeps them. One level.
  /// @cost O(1), O(rooms touched)
  void begin();
  void rollback();
  void commit();

  /// Reads one. @owns borrowed
  const HostCapacity& room(std::uint32_t at) const { return rooms_[at]; }
  /// Positions of those that are not as the pass found them, in no order. @owns borrowed
  const Positions& edited() const { return rooms_.edited(); }
  /// Those with a slot free or coming, as the pass found them, rising. @owns borrowed
  const Positions& roomy() const { return claims_.tally.roomy(); }
  /// All of them as the pass found them, by rising host number. @owns borrowed
  const std::vector<HostCapacity>& rooms() const { return rooms_.base(); }
  /// Is it free to have its tasks together: does nothing that it asks for lay them out otherwise?
  /// @cost O(1)
  bool packs(const Claim& claim) const {
    return claim.spec().span == Span{} && claims_.requests[claim.request].plain();
  }
  /// The claim's request. @owns borrowed
  Request& request(const Claim& claim) { return claims_.requests[claim.request]; }

 private:
  std::int64_t cap_on_host(const Claim& claim, const HostCapacity& room, std::uint32_t at,
                           const TasksByRoom& has) const;
  void count_all_rules();
  void count_rules(const Claim& claim, std::uint32_t at, std::int64_t tasks, bool is_there);
  std::int64_t beside_gpus(const Share& share) const;
  std::vector<Share> spare_gpus(std::vector<Share> found, std::int64_t tasks) const;
  void remember(std::uint32_t room);
  void skip_full(Request& request, const Claim& claim);
  Positions hosts_among(const Request& request, const Positions& worth) const;
  std::vector<Share> with_room(const Claim& claim, std::int64_t tasks, const TasksByRoom& has);
  std::vector<Share> lay_out_now(const Claim& claim, std::int64_t tasks, bool whole,
                                 const TasksByRoom& has);
  std::vector<Share> offers(const Claim& claim, std::int64_t tasks, When when,
                            const TasksByRoom& has) const;
  void keep_near(const Claim& claim, const TasksByRoom& has, std::vector<Share>& found) const;
  LayoutRules rules_of(const Claim& claim, std::int64_t tasks, bool whole,
                       const std::vector<Share>& found) const;
  std::uint32_t unit_of(const Request& request, std::uint32_t room) const;
  void close_units(const Request& request, const Share& share);

  Claims& claims_;
  HostCapacities rooms_;
  HostSlots queue_slots_;
  using RuleUse = std::map<std::pair<std::string, std::uint32_t>, std::int64_t>;
  RuleUse rule_use_;  // by key and room, as each counts
  std::uint32_t hosts_looked_at_;
  const Reservations* held_ = nullptr;
  bool trying_ = false;
  std::vector<std::pair<std::uint32_t, HostCapacity>> before_;  // rooms as they were, oldest first
  HostSlots slots_before_;
  RuleUse rules_before_;
};

}  // namespace wm::sched
