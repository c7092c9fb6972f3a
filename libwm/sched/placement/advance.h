// Role: that nobody takes what an advance reservation keeps: its slots are lent as far as run
// limits prove that they are back in time, and its own jobs get them and no others. One placing at
// a time. Called by reserve.cc.
//
//   slots ┤ ▒▒▒▒ a job with a limit that ends before        its jobs
//         │ ▒▒▒▒ ────────────────────────────┌───────────────────────┐
//         │                                  │ kept by a reservation │
//         └──now─────────────────────────────┴───────────────────────┴──►
//
// Invariant: estimates (bsub -We) prove nothing; run limits do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "libwm/sched/placement/skyline.h"

namespace wm::sched {

/// What advance reservations leave to others.
class Advance {
 public:
  /// @owns borrows `claims`
  Advance(const Claims& claims, WallTime now, Duration grace);

  /// Is there any reservation? @cost O(1)
  bool any() const { return !claims_.kept.all.empty(); }
  /// Of `most` tasks those that the claim may have there. @cost O(kept + steps of the room)
  std::int64_t allows(const Places& places, const Claim& claim, std::uint32_t room, When when,
                      std::int64_t most, const TasksByRoom& has);
  /// Tasks of the claim were placed. @cost O(steps of the room)
  void occupy(const Claim& claim, const Share& share, When when);
  /// So that dates of others leave it free. @cost O(kept x steps)
  void occupy_in(Skyline& skyline) const;

  /// begin … rollback undoes what was occupied since; commit keeps it. @cost as Skyline
  void begin();
  void rollback();
  void commit();

 private:
  Window window_of(const Claim& claim, When when) const;
  void build();

  using Taken = std::map<std::pair<const Reservation*, std::uint32_t>, std::int64_t>;
  struct Placed {
    const Claim* claim;
    Share share;
    Window window;
  };
  const Claims& claims_;
  WallTime now_;
  Duration grace_;
  std::optional<Skyline> skyline_;  // made when a claim is placed where slots are kept
  Taken taken_, taken_before_;      // of its slots, by its own jobs, in this placing
  std::vector<Placed> placed_;
  std::size_t mark_ = 0;
};

}  // namespace wm::sched
