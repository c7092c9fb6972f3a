// Role: the rows of acct.db as values, for who makes them from events (wmasterd) and who
// reports from them (bacct, bhist). The store does not know what an event means; the maker
// does not know SQL.
// Invariant: rows are facts about one moment's state; the newest row of a key wins. Only
// UsageRow's amounts are added to what is there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm::store {

/// A job, or with id.index an element of an array, as last known.
/// @units gpus: thousandths; cpu, slot_time, gpu_time: summed over tasks; times: the epoch
///        itself (default value) means "not yet"; exit_status: as wait(2) gives it
struct JobRow {
  JobId id;
  std::string user, name, queue, app, plan, project, command, cwd, submit_host;
  std::string exec_hosts;  ///< of the last attempt, one name per task, blank between
  std::string state;       ///< our word (DESIGN §4)
  std::string reason;      ///< why it ended or pends
  WallTime submitted, dispatched, started, ended;
  std::int32_t exit_status = 0;
  std::int32_t term = 0;  ///< lsb.acct's number of why the attempt was ended
  Attempt attempt;
  std::uint32_t resizes = 0;
  std::uint32_t slots = 0;  ///< most held at once
  std::int64_t gpus = 0;    ///< most held at once
  Duration cpu{}, slot_time{}, gpu_time{};
  Bytes max_mem;
  bool operator==(const JobRow&) const = default;
};

/// A task's slot on a host, from grant to proven gone.
struct AllocationRow {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::string host;
  std::int64_t gpus = 0;  ///< thousandths
  WallTime start, end;
  bool operator==(const AllocationRow&) const = default;
};

/// A line of a job's history. `part` tells lines of one event apart; the same
/// (job, seq, part) again replaces the line (a pause that became known later).
/// @units pause: -1 us = not known
struct JobEventRow {
  JobId job;
  Seq seq;
  std::uint32_t part = 0;
  WallTime time;
  std::string event;  ///< SUBMIT, DISPATCH, START, RESIZE, EPOCH, END …
  std::int64_t from = 0, to = 0;
  std::string reason;
  Duration pause{-1};
  std::int64_t steps_lost = -1;
  bool operator==(const JobEventRow&) const = default;
};

/// What a user used under a plan and queue; the amounts are added to that day's row.
struct UsageRow {
  WallTime day;  ///< start of the UTC day
  std::string user, plan, queue;
  std::uint32_t jobs_done = 0, jobs_exited = 0;
  Duration cpu{}, slot_time{}, gpu_time{};
  bool operator==(const UsageRow&) const = default;
};

/// What the events up to `seq` (since the last such rows) mean for accounting.
struct AcctRows {
  Seq seq;
  std::vector<JobRow> jobs;
  std::vector<AllocationRow> allocations;
  std::vector<JobEventRow> events;
  std::vector<UsageRow> usage;

  std::size_t size() const {
    return jobs.size() + allocations.size() + events.size() + usage.size();
  }
};

/// Appends later rows: applying the result is applying both in order. @cost rows of `from`
void join(AcctRows& to, AcctRows from);

}  // namespace wm::store
