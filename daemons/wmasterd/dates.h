// Role: what is due by the clock or by what other jobs did, and by no event of the job itself: a
// begin time that comes wakes the scheduler, a termination time ends its job, an orphan (-ti)
// whose dependency can never be met is ended. Called by core.cc.
#pragma once

#include <set>

#include "daemons/wmasterd/cycle.h"
#include "daemons/wmasterd/journal.h"

namespace wm::master {

/// @thread the loop's
class Dates {
 public:
  Dates(World& world, Journal& journal, Cycle& cycle)
      : world_(world), journal_(journal), cycle_(cycle) {}

  /// Called a few times a second; looks once a second. @cost O(jobs) then
  void on_tick();
  /// True if an unfinished job may depend on another: every change of a job may let it start.
  /// @cost O(1)
  bool any_dependent() const { return any_dependent_; }

 private:
  void look(const Job& job, WallTime now, std::vector<EventBody>& events);
  void end_orphan(const Job& job, WallTime now, std::vector<EventBody>& events) const;

  World& world_;
  Journal& journal_;
  Cycle& cycle_;
  TimePoint looked_{};
  WallTime last_{};            // begin times up to here have been told
  bool any_dependent_ = true;  // as of the last look; one submitted since is looked at anyway
};

/// Numbers of the jobs that unfinished ones depend on: they must stay known.
/// @cost O(jobs) and the conditions of those that have one
std::set<std::uint32_t> depended_on(const Cluster& state);

}  // namespace wm::master
