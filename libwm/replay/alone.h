// Role: how long a job takes when it has a part of the cluster to itself: what finish-time fairness
// compares with. A job that reports its speed is simulated there by itself, under the same policy
// and with the same costs, so that it has to be tried out in larger sizes as it was in company; the
// time of any other follows from its work.
//
//   part  n.m GPUs ─► alone on n, alone on n + 1 ─► a line between the two times
//         below 1  ─► alone on 1, divided by the part
//
// Called by metrics.cc.
// @source finish-time fairness: Mahajan et al., Themis, NSDI 2020; the lone run as the public
//         simulator of Sia (Jayaram Subramanya et al., SOSP 2023) makes it
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "libwm/replay/engine.h"

namespace wm::replay {

/// Lone runs, each made once.
class Alone {
 public:
  /// @owns borrows both
  Alone(const Setup& setup, const Options& options) : setup_(setup), options_(options) {}

  /// The job's time from submission to end on `units` of the cluster's, not whole.
  /// @units seconds   @cost the first alike one: a simulation of one job
  double time_on(const JobRun& job, double units);
  /// The same if it had its best size from the start: speeds, not times, are what lies on a line.
  /// @units seconds   @cost O(units)
  double known(const JobRun& job, double units) const;

 private:
  double time_on_whole(const JobRun& job, std::uint32_t units);
  double simulated(const JobRun& job, std::uint32_t units) const;
  double computed(const JobRun& job, std::uint32_t units) const;

  const Setup& setup_;
  const Options& options_;
  // By program, size asked for, least, most, units.
  using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Key, double> known_;
};

}  // namespace wm::replay
