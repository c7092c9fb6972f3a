// Role: meter.db: how well running tasks used their GPUs, and what plans asked for, by the hour. A
// database of its own, lossy: it follows from no event, is written when there is time, and can be
// deleted. Written by wmasterd alone, read by wmreport.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/model/node/meter.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// What the tasks of an attempt used on a host in an hour. @units hour: s since 1970, UTC
struct MeterRow {
  std::int64_t hour = 0;
  std::string host;
  TaskMeter used;
};

/// What an attempt's GPUs did, all hours together. @units us of devices
struct MeterSum {
  std::int64_t seen_us = 0, busy_us = 0, energy_mj = 0;
  std::int64_t idle_us = 0;  ///< seen in hours in which next to nothing was done
  /// What processes computed, and the time in which a host looked. @units us; B
  std::int64_t cpu_us = 0, cpu_seen_us = 0, mem_peak = 0;
  MeterSum& operator+=(const MeterSum& more);
};

/// What a plan asked for and deserved, as the master saw it now and then.
/// @units slot·ms, or where `gpus` GPU·ms; seen: ms that it was looked at
struct PlanMeter {
  std::int64_t seen_ms = 0, demand = 0, deserved = 0;
  std::int64_t unmet = 0;  ///< of what it asked for and deserved, what it did not have
  bool operator==(const PlanMeter&) const = default;
};
/// In an hour. @units hour: s since 1970, UTC
struct PlanMeterRow {
  std::int64_t hour = 0;
  std::string path;
  bool gpus = false;
  PlanMeter used;
};

/// What a host's processor packages used in an hour. @units hour: s since 1970, UTC
struct HostMeterRow {
  std::int64_t hour = 0;
  std::string host;
  std::int64_t seen_us = 0, energy_mj = 0;
};

/// The clock was set. @units at: s since 1970, as it was before; step: us, back is negative
struct ClockStep {
  std::int64_t at = 0, step_us = 0;
  bool operator==(const ClockStep&) const = default;
};

/// @thread one at a time   @owns its connection
class MeterDb {
 public:
  /// Opens meter.db in `dir` (0640), making it when missing. @errors Damaged: not ours, newer;
  /// Store
  static Result<std::unique_ptr<MeterDb>> open(const std::string& dir);
  /// The same for reading; none where there is no such file. @errors Damaged; Store
  static Result<std::unique_ptr<MeterDb>> read(const std::string& dir);

  /// Adds to what these hours have. @errors Store   @cost one transaction
  Result<void> add(const std::vector<MeterRow>& rows);
  Result<void> add(const std::vector<PlanMeterRow>& rows);
  Result<void> add(const ClockStep& step);
  Result<void> add(const HostMeterRow& row);
  /// Energy of all hosts' processors. @units mJ   @errors Store
  Result<std::int64_t> host_energy(std::int64_t from, std::int64_t to);
  /// Steps in [from, to), in order. @units s since 1970   @errors Store
  Result<std::vector<ClockStep>> steps(std::int64_t from, std::int64_t to);
  /// Hours before that are dropped. @errors Store
  Result<void> forget(std::int64_t before);
  /// Of a job's tasks, in hours of [from, to). @units s since 1970   @errors Store
  Result<MeterSum> of_job(JobId job, std::int64_t from, std::int64_t to);
  /// Of plans, by path; of GPUs where any were counted, else of slots. @errors Store
  Result<std::map<std::string, PlanMeterRow>> plans(std::int64_t from, std::int64_t to);
  /// Of everything. @errors Store
  Result<MeterSum> total(std::int64_t from, std::int64_t to);

 private:
  explicit MeterDb(std::unique_ptr<Connection> db) : db_(std::move(db)) {}
  Result<MeterSum> sum(Statement& ask);
  std::unique_ptr<Connection> db_;
};

}  // namespace wm::store
