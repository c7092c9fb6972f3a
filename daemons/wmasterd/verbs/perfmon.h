// Role: badmin perfmon: what the master is asked and does, counted in samples of equal length while
// somebody wants it. In memory only: a master that starts again counts nothing.
//
//   off ──start──► sample 1 │ sample 2 │ … ──stop──► off
//
// @source LSF: badmin perfmon start, view, stop
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemons/wmasterd/state/journal.h"
#include "libwm/base/units.h"
#include "libwm/model/verbs/group_verbs.h"

namespace wm::master {

/// @thread the loop's
class Perfmon {
 public:
  /// Begins anew. `period` 0: a minute.
  void start(WallTime now, Duration period);
  void stop() { on_ = false; }
  bool is_on() const { return on_; }
  /// A request of that verb was answered. @cost O(1), nothing while off
  void on_request(std::string_view verb, WallTime now);
  /// Events have become durable. @cost O(events + jobs touched), nothing while off
  void on_published(const Journal::Published& published, const Cluster& state, WallTime now);
  /// Of each metric the last whole sample, most, least, mean, and the total; and the same in LSF's
  /// lines. Descriptors are the caller's to fill in.
  PerfmonReply view(WallTime now);

 private:
  enum Metric {
    kRequests,
    kJobQueries,
    kHostQueries,
    kQueueQueries,
    kSubmits,
    kSubmitted,
    kDispatched,
    kCompleted,
    kSent,      // to another cluster: none
    kAccepted,  // from another cluster: none
    kMetrics
  };
  struct Series {
    std::uint64_t total = 0, now = 0, last = 0, most = 0, least = 0;
  };
  void roll(WallTime now);
  void add(Metric metric, std::uint64_t n) { series_[metric].now += n; }

  bool on_ = false;
  WallTime begun_{}, sample_{};  // of the sample under way
  Duration period_{};
  std::uint64_t samples_ = 0;  // whole ones
  Series series_[kMetrics];
};

}  // namespace wm::master
