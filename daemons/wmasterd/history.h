// Role: what accounting keeps of a job, folded from the durable events: pure. The same fold
// makes bhist's events and the rows of acct.db; replaying all events gives it again.
#pragma once

#include <map>
#include <vector>

#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/model/verbs.h"

namespace wm::master {

/// A job's line in accounting, with what the next event's FROM needs.
struct JobLine {
  HistoryJob job;
  std::uint32_t tasks = 0;   ///< wanted, after the newest event
  std::uint32_t world = 0;   ///< members of the newest epoch
  EpochNumber epoch;
  bool started = false, ended = false;
};

/// Folds one event into the lines. `after` is the state of the group the event became
/// durable with; only ends and starts look at it.
/// @cost O(log jobs + event)
void fold(std::map<JobId, JobLine>& lines, const Event& event, const Cluster& after);

}  // namespace wm::master
