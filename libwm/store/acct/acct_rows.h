// Role: the rows of acct.db as values, for who makes them from events (wmasterd) and who
// reports from them (bacct, bhist). The store does not know what an event means; the maker
// does not know SQL.
// Invariant: rows are facts about one moment's state; the newest row of a key wins. Only
// UsageRow's amounts are added to what is there.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/verbs/acct_sum.h"

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
  std::string service_class, reservation;  ///< empty: of none
  std::int64_t gpu_energy_mj = 0;          ///< of its GPUs; 0: no driver tells it
  bool operator==(const JobRow&) const = default;
};

/// What a task's holding is for, while nothing of it changes. Numbers are stored: append-only.
enum class HoldClass : std::uint8_t {
  Held = 0,
  Leaving = 1,    ///< asked to go
  Suspended = 2,  ///< stopped by bstop; keeps its slots
  Parked = 3,     ///< makes way by being stopped: no slots, no CPUs; memory and GPUs stay
  Unknown = 4,    ///< its host is silent
  Stuck = 5,      ///< not proven gone
};

/// A part of a task's holding on a host; the next part begins where one ends, when something of
/// it changes. The first begins with the grant, the last ends when the task is proven gone.
/// @units slots, milli_cpus: thousandths; gpus: thousandths of devices (a slice is a device);
///        gpueq: thousandths of whole GPUs; end: the epoch itself while it lasts
struct AllocationRow {
  JobId job;
  Attempt attempt;
  TaskNumber task;
  std::uint32_t part = 0;
  std::string host;
  HoldClass held = HoldClass::Held;
  std::int64_t slots = 0, milli_cpus = 0, gpus = 0, gpueq = 0;
  Bytes mem;
  std::string gpu_list;  ///< uuids, blank between
  WallTime start, end;
  WallTime member_at;  ///< an epoch first held the task
  Seq seq;             ///< the event that began the part
  bool operator==(const AllocationRow&) const = default;
};

/// Of holdings. @units slot·ms, milli-CPU·ms, milli-GPU·ms, the same of whole GPUs, MiB·s
struct HoldingSums {
  std::int64_t slot_ms = 0, cpu_mms = 0, gpu_mms = 0, gpueq_mms = 0, mem_mib_s = 0;
  bool operator==(const HoldingSums&) const = default;
};

/// One try to run a job, and for what it counts: plan, queue … are those it was dispatched with.
/// @units own_wait, queue_wait: since the submission or the end of the attempt before
struct AttemptRow {
  JobId job;
  Attempt attempt;
  std::string user, plan, queue, project, app;
  std::uint32_t tasks = 0;  ///< at dispatch
  WallTime dispatched, started, ended;
  std::string outcome;  ///< finished, failed, killed, error, lost, requeued, preempted; empty: runs
  std::int32_t term = 0, exit_status = 0;
  std::string host;  ///< of the task that decided
  Duration cpu{};
  Bytes max_mem;
  Duration own_wait{}, queue_wait{};
  /// Sums of its parts that have ended, of each from ⌊start⌋ to ⌊end⌋ ms.
  /// @units slot·ms, milli-CPU·ms, milli-GPU·ms, MiB·s
  std::int64_t slot_ms = 0, cpu_mms = 0, gpu_mms = 0, gpueq_mms = 0, mem_mib_s = 0;
  HoldingSums late;    ///< of these: after the true ends of tasks that were heard of late
  Duration ask_run{};  ///< run limit at dispatch; 0: none
  std::uint32_t min_tasks = 1, max_tasks = 1;
  bool elastic = false;
  bool operator==(const AttemptRow&) const = default;
};

/// How a host stood for a while. @units as AllocationRow; until: the epoch itself while it lasts
struct HostSpanRow {
  std::string host;
  WallTime since, until;
  std::string state;  ///< ok, closed, silent, dead, absent
  std::string by, why;
  std::int64_t slots = 0, milli_cpus = 0;
  Bytes mem;
  Seq seq;
  bool operator==(const HostSpanRow&) const = default;
};

/// How a GPU, or slice of one, stood for a while.
struct GpuSpanRow {
  std::string host, uuid;
  WallTime since, until;
  std::uint32_t idx = 0;
  std::string model;
  std::int64_t gpueq = 0;
  std::string state;  ///< ok, sick, closed
  std::string why;
  Seq seq;
  bool operator==(const GpuSpanRow&) const = default;
};

/// What a plan was promised for a while. @units slots; -1: as the configuration's default
struct PlanSpanRow {
  std::string path;
  WallTime since, until;
  std::int64_t shares = 0, owns = 0, limit = -1, lend = -1;
  Seq seq;
  bool operator==(const PlanSpanRow&) const = default;
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

/// Whom ended jobs count for. @units since: us, start of the six hours (UTC) of their end
struct SumKey {
  std::string user;
  std::int64_t since = 0;
  std::string plan, queue, project, app;
  bool done = false;  ///< completed normally
  auto operator<=>(const SumKey&) const = default;
};

/// What they come to; kept with the rows of jobs (acct_sums.h).
struct SumRow {
  SumKey key;
  AcctSum sum;
};

/// What the events up to `seq` (since the last such rows) mean for accounting.
struct AcctRows {
  Seq seq;
  std::vector<JobRow> jobs;
  std::vector<AllocationRow> allocations;
  std::vector<JobEventRow> events;
  std::vector<UsageRow> usage;
  std::vector<AttemptRow> attempts;
  std::vector<HostSpanRow> hosts;
  std::vector<GpuSpanRow> gpus;
  std::vector<PlanSpanRow> plans;
  WallTime horizon;  ///< all before it is in; the epoch itself: as before
  WallTime forget;   ///< some of what ended before is dropped; the epoch itself: nothing

  std::size_t size() const {
    return jobs.size() + allocations.size() + events.size() + usage.size() + attempts.size() +
           hosts.size() + gpus.size() + plans.size();
  }
};

/// Appends later rows: applying the result is applying both in order. @cost rows of `from`
void join(AcctRows& to, AcctRows from);

}  // namespace wm::store
