// Role: what bhist and bacct ask the master and are answered: jobs as accounting keeps them.
// Values; their bytes are codec/acct.cc's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libwm/model/verbs/acct_sum.h"
#include "libwm/model/verbs/job_verbs.h"

namespace wm {

/// Anyone. Ranges are [from, to); 0 = open. Of bacct only jobs that have ended fit.
struct AcctRequest {
  using Reply = struct AcctReply;
  static constexpr Verb kVerb = Verb::Account;
  JobSelection jobs;
  WallTime submitted_from{}, submitted_to{}, dispatched_from{}, dispatched_to{};
  WallTime ended_from{}, ended_to{};
  bool done = true, exited = true;  ///< of those that have ended
  std::string plan;                 ///< this one and those below it; empty: any
  AcctBy sums = AcctBy::None;       ///< of bacct: these instead of jobs, where that can be
  std::vector<WallTime> months;     ///< rising; of sums by month
  bool operator==(const AcctRequest&) const = default;
};

/// Anyone. The same jobs, with what happened to each.
struct HistoryRequest : AcctRequest {
  using Reply = struct HistoryReply;
  static constexpr Verb kVerb = Verb::History;
};

/// One line of what happened to a job.
struct HistoryEvent {
  WallTime time{};
  std::string event;  ///< SUBMIT, DISPATCH, START, RESIZE, EPOCH, END …
  std::int64_t from = 0, to = 0;
  std::string reason;
  double pause_ms = -1;  ///< negative: does not apply
  std::int64_t steps_lost = -1;
  bool operator==(const HistoryEvent&) const = default;
};
struct HistoryJob {
  JobId id;
  std::string user, name, queue, project, command, app, plan;
  WallTime submitted{}, started{}, ended{};
  std::string state;  ///< ours
  std::int32_t exit_status = 0;
  std::string term;
  std::vector<HistoryEvent> events;
  std::string submit_host, cwd;
  std::int32_t term_number = 0;  ///< of the reason in `term`
  Duration cpu{};                ///< of a job that is over
  Bytes max_mem{0}, mean_mem{0};
  bool operator==(const HistoryJob&) const = default;
};
struct HistoryReply {
  std::vector<HistoryJob> jobs;
  std::vector<JobId> missing;
  RestOfJobs rest;  ///< there may be others even where this answer has none
  bool operator==(const HistoryReply&) const = default;
};

/// @units slots, milli_gpus: most held at once; cpu, slot_time, gpu_time: summed over tasks of
///        all attempts; milli_gpus: thousandths; exit_status: as wait(2) gives it
struct AcctJob {
  JobId id;
  std::string user, name, queue, app, plan, project, command, cwd, submit_host;
  std::string exec_hosts;  ///< one name per task, blank between
  std::string state, reason;
  WallTime submitted{}, dispatched{}, started{}, ended{};
  std::int32_t exit_status = 0;
  Term term = Term::None;
  std::uint32_t attempt = 0, resizes = 0;
  std::uint32_t slots = 0, milli_gpus = 0;
  Duration cpu{}, slot_time{}, gpu_time{};
  Bytes max_mem{0};
  std::optional<Duration> promise_error;  ///< started later (+) or earlier (-) than promised
  std::int64_t gpu_energy_mj = 0;         ///< of its GPUs; 0: no driver tells it
  bool operator==(const AcctJob&) const = default;
};
/// Sums as they were asked for, or jobs, for who asks to add up.
struct AcctReply {
  std::vector<AcctJob> jobs;
  RestOfJobs rest;  ///< as HistoryReply's
  std::vector<AcctSumRow> sums;
  bool operator==(const AcctReply&) const = default;
};

}  // namespace wm
