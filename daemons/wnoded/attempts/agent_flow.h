// Role: how much the agent of one attempt may tell. It is its user's process, so its own restraint
// counts for nothing; what it tells becomes events on the master's disk.
//
//   report ─► tokens left? ─ yes ─► told         a token each, one more for every 4 KiB
//                └──── no ────► waits            the newest of its kind and task alone: it says all
//
// Pure. What agents tell by themselves, about a report a second, never waits.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "libwm/base/units.h"
#include "libwm/model/elastic.h"

namespace wm::node {

/// See the head of this file. A value.
class AgentFlow {
 public:
  /// What is to be told now that this was said: what waited and this, the last said last.
  /// @cost O(report + waiting)
  std::vector<AgentReport> say(AgentReport report, TimePoint now);
  /// What waited and is to be told by now. @cost O(waiting)
  std::vector<AgentReport> due(TimePoint now);
  /// So many wait; at most 64 do, further kinds and tasks are not heard.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  void fill(TimePoint now);

  double tokens_ = 0;
  TimePoint filled_{};
  bool begun_ = false;
  std::vector<std::pair<std::pair<std::size_t, TaskNumber>, AgentReport>> waiting_;
};

}  // namespace wm::node
