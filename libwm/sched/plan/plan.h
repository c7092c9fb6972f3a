// Role: what a scheduling pass decides, as a value: jobs to start, elastic jobs to grow and
// to shrink, and why every other pending job waits. The master admits it piece by piece
// against its newest state (admit.h) and turns what is left into events.
//
//   Cluster (frozen) ── schedule() ──► Plan ── admit() ──► events
//
// Invariants: sorted by job; at most one piece per job, but that tasks may move: it grows and
// shrinks; every pending job either starts or has at least one reason. Made by schedule.cc, read
// by the master, bsim and tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/model/cluster.h"
#include "libwm/model/config/config.h"
#include "libwm/model/job.h"
#include "libwm/model/reason.h"
#include "libwm/sched/plan/load.h"
#include "libwm/sched/plan/speed_policy.h"

namespace wm::sched {

/// Where one task goes. @shape gpus: indexes on the host, rising
struct Spot {
  HostId host;
  std::vector<std::uint16_t> gpus;
  bool operator==(const Spot&) const = default;
};

/// A pending job, or element of an array, that starts now. Tasks on a host are adjacent.
struct Start {
  JobId job;
  std::vector<Spot> tasks;
  std::uint32_t alternative = 0;  ///< of its requirements
  std::uint32_t revision = 0;     ///< of what it asks for, for which these places were found
  bool operator==(const Start&) const = default;
};

/// Further tasks for a running elastic job.
struct Grow {
  JobId job;
  Attempt attempt;
  std::vector<Spot> tasks;
  std::string reason;
  bool operator==(const Grow&) const = default;
};

/// Tasks of a running elastic job that shall leave; never the one of rank 0.
struct Shrink {
  JobId job;
  Attempt attempt;
  std::vector<TaskNumber> tasks;
  std::string reason;
  bool operator==(const Shrink&) const = default;
};

/// How a preempted job makes way.
enum class MakeWay : std::uint8_t {
  Requeue,  ///< ends, and waits again
  Park,     ///< is stopped, and goes on when its slots are free again
  End,
};

/// A running job that makes way for `by`, which starts where it was.
struct Preempt {
  JobId job;
  Attempt attempt;
  JobId by;
  MakeWay how = MakeWay::Requeue;
  Duration grace{};
  std::string reason;
  bool operator==(const Preempt&) const = default;
};

/// A parked job that goes on: its slots are free.
struct Resume {
  JobId job;
  Attempt attempt;
  bool operator==(const Resume&) const = default;
};

/// Why a job waits; alike jobs share one value. Never null, never empty.
using Reasons = std::shared_ptr<const std::vector<PendReason>>;

/// A pending job that does not start. An array's base stands for all its elements that have
/// no object of their own yet.
struct PendingJob {
  JobId job;
  Reasons reasons;
};

/// When a pending job will start at the latest; 0: the date it was promised is withdrawn.
struct DatedStart {
  JobId job;
  WallTime at{};
  bool holds = false;                      ///< places are held for it; else an estimate
  std::vector<PromisedPlace> places = {};  ///< which, where they stay held in later passes
  std::uint32_t revision = 0;              ///< as Start's
  bool operator==(const DatedStart&) const = default;
};

/// The decisions of one pass.
struct Plan {
  std::vector<Start> starts;
  std::vector<Grow> grows;
  std::vector<Shrink> shrinks;
  std::vector<PendingJob> waiting;
  std::vector<DatedStart> promises;                         ///< new ones, and those that moved
  Frozen<std::map<std::string, Reservation>> reservations;  ///< that it knew of
  WallTime look_again{};  ///< a pass is due then; 0: only when something changes
  std::vector<Preempt> preempts;
  std::vector<Resume> resumes;
  std::vector<Shrink> moves;  ///< tasks on drained hosts that have been replaced

  /// Why this job waits, or null when the plan says nothing of it.
  /// @cost O(log waiting)   @owns borrowed from this plan
  const std::vector<PendReason>* why(JobId job) const;
  /// True if nothing is to be done. @cost O(1)
  bool idle() const {
    return starts.empty() && grows.empty() && shrinks.empty() && preempts.empty() &&
           resumes.empty() && moves.empty();
  }
};

/// Bounds of one pass.
struct SchedPolicy {
  std::uint32_t max_pending = 200'000;  ///< pending jobs looked at one by one
  std::uint32_t max_rounds = 8;         ///< fillings after something could not be placed
  std::uint32_t hosts_looked_at = 256;  ///< hosts with room compared for one job
  using Backfill = wm::Backfill;
  Backfill backfill = Backfill::Easy;
  std::uint32_t max_promises = 100;      ///< pending jobs that get a dated start
  std::uint64_t max_date_work = 20'000;  ///< hosts looked at for all dates of a pass
  Duration promise_tolerance = std::chrono::minutes(1);  ///< a date that moves less stays
  SpeedPolicy speed;                          ///< elastic jobs that report how fast they are
  std::shared_ptr<const LoadedHosts> loaded;  ///< beyond the load thresholds of queues; null: none
  bool explains = true;  ///< says why the others wait; false: Plan::waiting stays empty
};

}  // namespace wm::sched
