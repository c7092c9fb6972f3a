// Role: what advance reservations keep on the rooms of a pass, and for whom: facts of the pass,
// made once and read by its placings (advance.h), by claims and by reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/sched/capacity/host_capacity.h"

namespace wm::sched {

/// Slots that one reservation keeps in one room during one of its times.
struct KeptSlots {
  const Reservation* of = nullptr;  ///< of the pass's cluster
  std::uint32_t room = 0;
  std::int64_t slots = 0;
  std::int64_t used = 0;  ///< of them, by its own jobs; while it is active
  OpenSpan span;
  bool active = false;
};

/// All that is kept, as far ahead as it can make a difference.
struct KeptBook {
  std::vector<KeptSlots> all;
  WallTime next_edge{};  ///< when a reservation begins or ends next; 0: none does

  /// Does any reservation keep slots there, now or later? @cost O(what is kept)
  bool any_in(std::uint32_t room) const;
  /// What is kept there for the active reservation of that name; null: nothing. @cost as any_in
  const KeptSlots* active(const std::string& name, std::uint32_t room) const;
};

/// @cost O(reservations x windows x rooms of each + jobs that run on those rooms)
KeptBook kept_slots(const Cluster& cluster, const std::vector<HostCapacity>& rooms, WallTime now);

/// When what such a job holds is given back at the latest, if `at` is the end by its run limit: at
/// the end of its reservation what runs is ended, and before that its slots stay its reservation's.
/// @cost O(windows)
WallTime end_within(const Cluster& cluster, const Job& job, WallTime at, WallTime now);

/// Why a job of a reservation may not start now; empty: as far as that goes it may.
/// @cost O(windows)
std::string reserved_obstacle(const Cluster& cluster, const JobSpec& spec, WallTime now);

}  // namespace wm::sched
