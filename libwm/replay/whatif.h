// Role: what would happen to a live cluster: its jobs run on in virtual time, once as things
// are and once with a change, and starts are compared. Pure: the cluster comes as a value.
//
// Jobs end at their run limits and not before; one without a limit never ends, so what waits
// for it has no date. Nobody submits anything. Called by bwhatif, the web door and tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/cluster.h"

namespace wm::replay {

/// What would be different.
struct Change {
  std::int32_t hosts = 0;  ///< so many more like the most usual one, or fewer (drained)
  JobId job{};             ///< a pending job that would be
  std::string queue;       ///< in this queue,
  std::string plan;        ///< or in this plan; empty: where it is
  /// This would be in force, as after badmin reconfig; null: what is.
  std::shared_ptr<const Config> config = {};
};

/// A job's starts. @units 0: none that run limits tell of
struct Foretold {
  JobId job;
  WallTime start_now{};    ///< as things are; of a running job when it started
  WallTime start_then{};   ///< with the change; of one that makes way, its start after that
  bool displaced = false;  ///< by the change: starts later, never, or makes way
  bool operator==(const Foretold&) const = default;
};

/// Every job that waits, by number, and those that run and would make way.
/// @errors BadArgument: nothing is to be changed; NotFound: no such job, queue or plan; Conflict:
///         the job does not wait; Impossible: fewer hosts than none
///         Timeout: `goes_on` said no
/// `progress` is told which part has been done, 0 … 1, on the caller's thread. `goes_on` is asked
/// before each pass, on both threads; none: to the end.
/// @cost O(starts x pass), at most 20,000 passes each, on two threads   @thread any
Result<std::vector<Foretold>> foretell(const Cluster& live, const Change& change, WallTime now,
                                       const std::function<void(double)>& progress = {},
                                       const std::function<bool()>& goes_on = {});

}  // namespace wm::replay
