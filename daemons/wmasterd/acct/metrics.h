// Role: what monitoring asks of the master: counters kept event by event, and gauges of a published
// state, as text that Prometheus reads. Pure. Never a job or a user in a label; of queues and plans
// a bounded number, the rest together as "other".
//
//   events + their rows of accounting ─► Counters ─┐
//   published state ───────────────────────────────┴─► metrics_text (on a worker)
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "daemons/wmasterd/state/spent.h"
#include "libwm/model/cluster.h"
#include "libwm/model/event.h"
#include "libwm/model/node/meter.h"
#include "libwm/store/acct/acct_rows.h"
#include "libwm/view/metrics_page.h"

namespace wm::master {

/// Upper bounds of the histogram of waits: 1 s to 7 d. @units s
inline constexpr std::array<double, 14> kWaitBounds = {
    1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 86400, 259200, 604800};

/// How the master's disk and logs stand.
struct StoreFacts {
  double free_bytes = 0;                     ///< of the file system of state_dir
  bool works = true;                         ///< the event store takes events
  bool low_space = false;                    ///< the reserve is given up: submissions are refused
  bool deeds_wait = false;                   ///< the clock was set: deadlines, windows, purges wait
  std::uint64_t audit_waits = 0;             ///< acts of administrators that are not on disk yet
  std::array<std::uint64_t, 4> log_lines{};  ///< since the start, by log::Level
  std::uint64_t log_lost = 0;
};

/// What has happened since the master started. @thread one at a time; a copy may go elsewhere
struct Counters {
  std::map<std::string, std::uint64_t> dispatches;                    ///< by queue
  std::map<std::pair<std::string, std::string>, std::uint64_t> ends;  ///< queue, outcome
  std::map<std::string, std::uint64_t> lost;                          ///< attempts, by term
  std::map<std::string, std::uint64_t> resizes;                       ///< grow, shrink
  std::map<std::string, view::Histogram> waits;                       ///< by queue
  view::Histogram pauses;                                             ///< of changes of membership
  view::Histogram promise_errors{kWaitBounds};                        ///< late starts
  std::uint64_t acct_lag = 0;  ///< events that lack their rows in accounting
  std::int64_t rolled_at = 0;  ///< wmreport last summed up; 0: never. @units s since 1970
  double clock_steps_s = 0;    ///< by which the clock was set, back and forward together
  StoreFacts store;
  /// What hosts said last of what runs there, by host; nullptr: nothing yet.
  std::map<HostId, std::shared_ptr<const HostUses>> uses;

  /// One durable event with its rows. @cost O(rows)
  void count(const Event& event, const store::AcctRows& rows);
};

/// The whole answer; `open_metrics`: OpenMetrics 1.0, else the text form 0.0.4.
/// @source Prometheus exposition formats   @cost O(jobs + hosts + plans)
std::string metrics_text(const Cluster& cluster, const Counters& counters, const Spent& spent,
                         bool open_metrics);

}  // namespace wm::master
