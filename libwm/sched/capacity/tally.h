// Role: what all rooms have together, and which of them are worth a look: kept from pass to pass
// (memory.h) and brought up to date room by room, so that a pass over a full cluster costs what
// is free in it and not what there is.
//
//   rooms that changed ──update──► capacity   of open rooms
//                                  roomy      a slot is free or coming: in a full cluster few
//                                  closed, stuck
//                                  lacks      by request: what rooms lack for one task of it
//
// Invariant: equal to what a walk over all rooms would count. Used by memory.cc, targets.cc,
// place.cc, line_up.cc and reasons.cc.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "libwm/sched/capacity/host_capacity.h"
#include "libwm/sched/capacity/requests.h"

namespace wm::sched {

/// HostCapacities that lack one thing for a single task, whatever else they lack.
struct Shortage {
  std::uint32_t slots = 0, cpus = 0, mem = 0, gpus = 0, exclusive = 0;
  bool operator==(const Shortage&) const = default;
};

/// What one room lacks for a single task, a bit each.
using LackBits = std::uint8_t;
/// @cost O(GPUs)
LackBits lacks_of(const HostCapacity& room, const JobSpec& spec);
/// Adds a room with these bits; `sign` -1 takes one away. @cost O(1)
void count(Shortage& sum, LackBits bits, int sign);

/// Positions of rooms, rising.
using Positions = std::vector<std::uint32_t>;

/// Sums over the rooms of a cluster.
class Tally {
 public:
  /// HostCapacities that have changed, or may have; their number stays.
  /// @cost O(changed x (requests asked for + rooms listed))
  void update(const std::vector<HostCapacity>& rooms, const Positions& changed,
              const Requests& requests);

  /// Slots and whole GPUs of open rooms, stuck slots left out. @cost O(1)
  std::int64_t slots() const { return slots_; }
  std::int64_t gpus() const { return gpus_; }
  /// HostCapacities with a slot that is free or coming. @owns borrowed
  const Positions& roomy() const { return roomy_; }
  /// HostCapacities of hosts that are not open. @owns borrowed
  const Positions& closed() const { return closed_; }
  /// HostCapacities with slots that are not proven free. @owns borrowed
  const Positions& stuck() const { return stuck_; }
  /// What the request's rooms lack, as the pass found them.
  /// @cost O(rooms of the request) the first time, then O(log requests)
  const Shortage& shortage(std::uint32_t request, const std::vector<HostCapacity>& rooms,
                           const Requests& requests);

 private:
  struct Part {  // what a room adds
    std::int64_t slots = 0, gpus = 0;
  };
  struct Lacks {
    Shortage sum;
    std::vector<LackBits> bits;  // by room; 0 of those that the request does not have
  };
  std::int64_t slots_ = 0, gpus_ = 0;
  std::vector<Part> parts_;
  Positions roomy_, closed_, stuck_;
  std::map<std::uint32_t, Lacks> lacks_;
};

}  // namespace wm::sched
