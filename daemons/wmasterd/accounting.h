// Role: accounting as the master runs it: takes durable events in order, answers bhist.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "daemons/wmasterd/history.h"
#include "libwm/base/result.h"

namespace wm::master {

/// @thread take: the loop's; history: a worker's
class Accounting {
 public:
  /// Folds events that have become durable. @cost O(events)
  void take(const std::vector<Event>& events, const Cluster& after);
  /// What bhist asks.
  HistoryReply history(const HistoryRequest& request) const;

 private:
  mutable std::mutex mutex_;  // hand-over between loop and workers
  std::map<JobId, JobLine> lines_;
};

}  // namespace wm::master
