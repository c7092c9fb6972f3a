// Role: what will be free on every host, and when: the rooms as they are now, raised at the
// ends of running jobs (their run limits; without one a job never ends) and lowered where
// a claim will run from a date on. Every resource of a room is followed at once, so a date
// found here is one at which the tasks really fit on the hosts it names.
//
//   free ┤            ┌────────── end of job 2
//        │      ┌─────┘   ┌──┐
//        │   ┌──┘end of 1 │  │◄── job 9 is promised this: [from, until)
//        └───┴──────────────────► time
//
// Made once a pass and used by all its placings, on the ends of what runs (ends.h). Steps are made
// only for rooms in which a claim is to run, and forgotten with the placing. Elsewhere there is
// only ever more room: ends are gone through in order of time, as far as a caller asks, since most
// dates are near.
//
// Invariants: a room without steps or ends stays as it is for ever; steps rise in time. Used by
// reserve.cc.
// @source backfilling on a profile: Mu'alem, Feitelson, IEEE TPDS 12(6), 2001
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "libwm/sched/capacity/ends.h"
#include "libwm/sched/placement/place.h"

namespace wm::sched {

/// What is looked for: places for so long, at a date before that one.
struct Search {
  Duration length{};  ///< 0: for ever
  WallTime before = WallTime::max();
};

/// Places at a date.
struct Dated {
  WallTime at{};
  std::vector<Share> shares;
};

/// HostCapacities over time.
class Skyline {
 public:
  /// Starts with the rooms as `now`; what is coming in them is free from `now + grace` on, and
  /// what should have ended by now, too. `ends`: null or of what runs.
  /// @cost O(rooms)   @owns borrows `rooms`, `ends`
  Skyline(const std::vector<HostCapacity>& rooms, WallTime now, Duration grace,
          const Ends* ends = nullptr);

  /// One more task, of `job`, ends at `at`; told before anything is asked. @cost O(1)
  void release(std::uint32_t room, const Job& job, const Task& task, WallTime at) {
    if (rooms_[room].open) more_ends_[room].push_back({at, &job, &task});
  }
  /// Nobody will run any more, as after the last release. @cost O(rooms occupied)
  void clear();

  /// Tasks of a claim will run there. @cost O(steps of the room)
  void occupy(const Claim& claim, const Share& share, Window window);
  /// A task of what runs makes way there: it is gone after the grace; one that parks keeps its
  /// memory. @cost O(tasks in the room x steps)   @owns borrows job and task
  void leave(std::uint32_t room, const Job& job, const Task& task, bool parks);
  /// A claim will not run in those rooms after all.
  /// @cost O(rooms x tasks there x steps)
  void vacate(const Claim& claim, const std::vector<Share>& shares);

  /// Was one that asks for the same looked at in this pass? Then its date costs little.
  /// @cost O(log kinds)
  bool knows(const Claim& claim) const { return growths_.count({claim.request, claim.min}) > 0; }

  /// begin … rollback undoes what was occupied and left since; commit keeps it. One level.
  /// @cost O(1), O(rooms touched)
  void begin();
  void rollback();
  void commit() { trying_ = false; }

  /// Tasks of the claim that fit there for the whole window, at most `most`. `places`
  /// applies what bounds a claim besides the room. @cost O(steps of the room x GPUs)
  std::int64_t fits(const Places& places, const Claim& claim, std::uint32_t room, Window window,
                    std::int64_t most, const TasksByRoom& has);

  /// The first date at which all of the claim's minimum fits for as long as it may run, and
  /// where. None: never, as far as run limits tell, or not before then.
  /// @cost O((ends and steps up to that date) x log + rooms + steps of each room in a window)
  std::optional<Dated> earliest(Places& places, const Claim& claim, const Search& search);

 private:
  struct Step {
    WallTime from;
    HostCapacity room;
  };
  using Steps = std::vector<Step>;
  struct Change {
    WallTime at;
    std::uint32_t room;
    std::int64_t tasks;  // that fit from then on
  };

  using Changes = std::vector<Change>;
  // A room in which nobody is to run, as far as its ends were looked at.
  struct Grown {
    HostCapacity room;
    std::vector<End> ends;
    std::size_t next = 0;    // of them
    bool settled = false;    // what was coming is there
    std::int64_t tasks = 0;  // that fit
  };
  // What fits from when on in such rooms, for one request and number of tasks.
  struct Growth {
    Changes rises;         // so far, in order of time
    std::size_t next = 0;  // date to look at
    std::map<std::uint32_t, Grown> rooms;
  };
  using Date = std::pair<WallTime, std::uint32_t>;
  struct Occupant {
    const Claim* claim;
    Share share;
    Window window;
  };
  struct Before {
    std::uint32_t room;
    Steps steps;
    std::vector<Occupant> occupants;
  };
  struct Leaver {
    std::uint32_t room;
    End end;
    bool parks;
  };

  static void let_end(HostCapacity& room, const End& end, bool parks = false);
  bool leaves(std::uint32_t room, const End& end) const;
  std::vector<End> ends_of(std::uint32_t room) const;
  void remember(std::uint32_t room);
  void make_anew(std::uint32_t room);
  Steps& steps_of(std::uint32_t room);
  std::size_t split(Steps& steps, WallTime at);
  static std::pair<Steps::iterator, Steps::iterator> steps_in(Steps& steps, const Window& window);
  void lower(const Occupant& occupant);
  bool raise(const Occupant& occupant);
  void add_first_dates();
  const Date* date(std::size_t number);
  Grown& grown(Growth& growth, std::uint32_t room);
  void note(const Places& places, const Claim& claim, const Date& date, Growth& growth);
  Growth& growth_of(Places& places, const Claim& claim);
  bool look_on(Places& places, const Claim& claim, Growth& growth, WallTime until);
  std::optional<Dated> first_sum(Places& places, const Claim& claim, const Changes& changes,
                                 WallTime before);
  std::vector<WallTime> starts_of(const Steps& steps, const Search& search) const;
  void add_changes(const Places& places, const Claim& claim, std::uint32_t room,
                   const Search& search, Changes& changes);

  const std::vector<HostCapacity>& rooms_;
  WallTime now_;
  Duration grace_;
  const Ends* ends_;
  std::map<std::uint32_t, std::vector<End>> more_ends_;  // by room
  std::vector<Date> dates_;  // of rooms in which something ends or comes, rising; looked at so far
  std::vector<Date> near_;   // a mark, and of them those that are not in ends_ with this date
  std::size_t near_next_ = 0;
  Ends::Dates::const_iterator far_next_;                      // the others
  std::map<std::uint32_t, Steps> steps_;                      // of rooms in which a claim is to run
  std::map<std::uint32_t, std::vector<Occupant>> occupants_;  // of them: the claims
  std::map<std::pair<std::uint32_t, std::uint32_t>, Growth> growths_;  // by request and tasks
  bool trying_ = false;
  std::vector<Before> before_;  // rooms as they were, oldest first
  std::vector<Leaver> leavers_;
  std::size_t leavers_before_ = 0;
};

}  // namespace wm::sched
