// Role: what will be free on every host, and when: the rooms as they are now, raised at the
// ends of running jobs (their run limits; without one a job never ends) and lowered where
// somebody will run from a date on. Every resource of a room is followed at once, so a date
// found here is one at which the tasks really fit on the hosts it names.
//
//   free ┤            ┌────────── end of job 2
//        │      ┌─────┘   ┌──┐
//        │   ┌──┘end of 1 │  │◄── job 9 is promised this: [from, until)
//        └───┴──────────────────► time
//
// Invariants: a room without steps stays as it is for ever; steps rise in time. Used by
// reserve.cc. Values.
// @source backfilling on a profile: Mu'alem, Feitelson, IEEE TPDS 12(6), 2001
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "libwm/sched/place.h"

namespace wm::sched {

/// A span of time. @units until: WallTime::max() = for ever
struct Window {
  WallTime from{};
  WallTime until = WallTime::max();
};

/// The window of `length` from an instant on; length 0: for ever. @cost O(1)
Window window_from(WallTime from, Duration length);

/// Places at a date.
struct Dated {
  WallTime at{};
  std::vector<Share> shares;
};

/// Rooms over time.
class Skyline {
 public:
  /// Starts with the rooms as `now`; what is coming in them is free from `now + grace` on.
  /// @cost O(rooms)
  Skyline(std::vector<Room> rooms, WallTime now, Duration grace);

  /// A task of `job` ends at `at`. @cost O(steps of the room)
  void release(std::uint32_t room, const Job& job, const Task& task, WallTime at);

  /// Tasks of a claim will run there. @cost O(steps of the room)
  void occupy(const Claim& claim, const Share& share, Window window);

  /// begin … rollback undoes what was occupied since; commit keeps it. One level.
  /// @cost O(1), O(rooms touched)
  void begin();
  void rollback();
  void commit() { trying_ = false; }

  /// Tasks of the claim that fit there for the whole window, at most `most`. `places`
  /// applies what bounds a claim besides the room. @cost O(steps of the room x GPUs)
  std::int64_t fits(const Places& places, const Claim& claim, std::uint32_t room, Window window,
                    std::int64_t most, const TasksByRoom& has) const;

  /// The first date at which all of the claim's minimum fits for as long as it may run, and
  /// where. None: never, as far as run limits tell.
  /// @cost O(steps of its hosts x log)
  std::optional<Dated> earliest(Places& places, const Claim& claim, Duration length) const;

 private:
  struct Step {
    WallTime from;
    Room room;
  };
  using Steps = std::vector<Step>;
  struct Change {
    WallTime at;
    std::uint32_t room;
    std::int64_t tasks;  // that fit from then on
  };

  std::size_t split(Steps& steps, WallTime at);
  void add_changes(const Places& places, const Claim& claim, std::uint32_t room, Duration length,
                   std::vector<Change>& changes) const;

  std::vector<Steps> steps_;  // by room, never empty
  WallTime now_;
  bool trying_ = false;
  std::vector<std::pair<std::uint32_t, Steps>> before_;  // rooms as they were, oldest first
};

}  // namespace wm::sched
