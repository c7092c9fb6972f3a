// Role: tasks that may be asked to leave: those of elastic jobs above their target. They are
// chosen only where a claim is promised their place, so that no job shrinks for nothing. Per job:
// tasks apart from rank 0 first, then the highest number, never the task of rank 0; on the host
// that needs the fewest leavers. To clear a newcomer's first host, jobs not above target may give
// too; the next pass replaces their tasks from those still above.
// Called by placement.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/sched/placement/place.h"

namespace wm::sched {

/// The leavers of one job, in the order in which they were chosen.
struct Leaving {
  Claim* claim = nullptr;
  std::vector<TaskNumber> tasks;
  std::vector<JobId> receivers;  ///< jobs that get the room; empty: for its own sake
  std::string_view why;          ///< then: in words
};

/// The jobs that may give, and the tasks that have been asked to leave.
class Donors {
 public:
  Donors(std::vector<Claim>& claims, Places& places);

  /// Makes room for `chunk` tasks of `claim` on one host, counting what is coming, and says
  /// on which of `hosts`: one where it is there already, else the one that needs the fewest leavers
  /// (then those of the lowest queue, apart from their rank 0, latest job, highest number). Nothing
  /// if no host can.
  /// @cost O(hosts + tasks that may leave)
  std::optional<std::uint32_t> make_room(const Claim& claim, std::int64_t chunk,
                                         const TasksByRoom& has,
                                         const std::vector<std::uint32_t>& hosts);

  /// Makes room for `tasks` tasks of a newcomer on one of `hosts`: where the fewest leave that are
  /// within their job's target, at most `most` of them, and of the fewest jobs. They are of alike
  /// jobs (same queue, same request) that go on while they are resized. Nothing if no host can.
  /// @cost O(hosts + tasks of elastic jobs there)
  std::optional<std::uint32_t> clear_host(const Claim& claim, std::int64_t tasks, std::int64_t most,
                                          const Positions& hosts);

  /// HostCapacities in which tasks may be asked to leave. @cost O(rooms)
  Positions rooms() const;
  /// HostCapacities in which tasks may be asked for a newcomer's first host. @cost O(rooms)
  Positions clearable() const;

  /// The tasks above a lowered limit, or that make it no faster, leave, wanted or not.
  /// @cost O(tasks)
  void release_above_limit(std::vector<Claim>& claims);

  /// Tasks on further hosts leave a job that is faster without them (speeds.h).
  /// @cost O(tasks of elastic jobs)
  void release_apart(std::vector<Claim>& claims, WallTime now);

  /// The surplus of a job leaves for `receiver`, wherever it is. @cost O(tasks squared)
  void release_surplus(Claim& donor, JobId receiver);

  /// False: nobody can be asked any more. @cost O(1)
  bool any() const { return surplus_ > 0; }
  /// begin … rollback undoes the choices since. One level, as Places'.
  /// @cost O(donors)
  void begin();
  void rollback();

  /// All leavers, by job. @cost O(1)   @owns borrowed
  const std::map<JobId, Leaving>& leaving() const { return leaving_; }

 private:
  struct Candidate {
    Claim* claim;
    const Task* task;
    bool apart = false;  // on another host than rank 0
    bool operator==(const Candidate&) const = default;
  };
  using Candidates = std::vector<Candidate>;
  using ByRoom = std::map<std::uint32_t, Candidates>;

  static bool leaves_before(const Candidate& a, const Candidate& b);
  static bool is_better(const Candidates& a, const Candidates& b);
  void add(Claim& claim);
  void ask_last(Claim& claim, JobId receiver);
  void ask(const Candidate& candidate, std::uint32_t room, JobId receiver);
  Candidates leavers_for(const Claim& claim, std::int64_t chunk, std::uint32_t room,
                         const TasksByRoom& has) const;
  bool may_leave(const Candidate& candidate, const Candidates& chosen) const;
  std::int64_t surplus_of(const Claim& claim) const;
  std::int64_t may_clear(const Claim& donor, const Claim& claim) const;
  std::optional<Candidates> clearers(const Claim& claim, std::int64_t tasks,
                                     std::uint32_t room) const;
  std::pair<std::int64_t, std::int64_t> harm_of(const Candidates& leavers) const;

  Places& places_;
  ByRoom by_room_;                      // of jobs above their target
  ByRoom all_;                          // of all elastic ones
  std::map<JobId, std::int64_t> left_;  // tasks a job may still give; below 0: it gave more
  std::map<JobId, Leaving> leaving_;
  std::int64_t surplus_ = 0;
  std::map<JobId, std::int64_t> left_before_;
  std::map<JobId, Leaving> leaving_before_;
  std::int64_t surplus_before_ = 0;
};

}  // namespace wm::sched
