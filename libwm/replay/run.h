// Role: a job in a simulation and what decides over it. The engine keeps what each job has
// done; a Decider says who holds which slots. Two kinds: production.h (the state machines and
// the scheduler of the master) and tiresias.h (a published policy, to calibrate by).
//
//   engine ── arrive, end, decide ──► Decider ── touched jobs, their placements ──► engine
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "libwm/replay/trace.h"

namespace wm::replay {

/// An instant that never comes.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Hosts (from 0, rising) and tasks on each.
using Placement = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Its tasks per host, hosts left out. @cost O(hosts)
Shape shape_of(const Placement& placement);

/// A host that is simulated.
struct HostSize {
  std::uint32_t gpus = 0, cpus = 1;
};

/// The cluster that is simulated: equal hosts, unless `each` has a size of every one.
struct Setup {
  std::uint32_t hosts = 1, gpus_per_host = 0, cpus_per_host = 1;  ///< with `each`: the largest
  std::vector<HostSize> each = {};
  /// Of a host, from 0.
  HostSize host(std::uint32_t n) const {
    return each.empty() ? HostSize{gpus_per_host, cpus_per_host} : each[n];
  }
  /// What jobs compete for: GPUs where there are any, else CPUs.
  std::uint32_t units_per_host() const { return gpus_per_host ? gpus_per_host : cpus_per_host; }
  /// Units that a task holds, whole ones. On a cluster of GPUs one without any holds none.
  std::uint32_t units_of(const TraceJob& job) const {
    auto whole = [](std::uint32_t milli) { return (milli + 999) / 1000; };
    return gpus_per_host ? whole(job.milli_gpus) : std::max(1u, whole(job.milli_cpus));
  }
  std::uint32_t units() const {
    if (each.empty()) return hosts * units_per_host();
    std::uint32_t sum = 0;
    for (const HostSize& host : each) sum += gpus_per_host ? host.gpus : host.cpus;
    return sum;
  }
};

/// A job of the list and how it stands. @units seconds of virtual time; work as Work has it
struct JobRun {
  const TraceJob* trace = nullptr;
  Batch batch = Batch::Fixed;
  Placement placement;
  double done = 0;  ///< work, at `updated`
  double updated = 0;
  double paused_until = 0;  ///< a start or resize costs time
  double attained = 0;      ///< task-seconds held
  double ends_at = 0;       ///< if nothing changes; while it runs
  double start_s = -1, end_s = -1;
  double paused_s = 0;                ///< of its time, spent on resizes
  std::uint32_t resizes = 0;          ///< changes of its placement after the start
  std::uint32_t wish = 0;             ///< of a service: kernels that it wants now
  double wished_s = 0, missed_s = 0;  ///< of a service: kernel-seconds wanted, and those not had
  bool runs() const { return !placement.empty(); }
  bool over() const { return end_s >= 0; }
};

/// Who holds what.
class Decider {
 public:
  virtual ~Decider() = default;
  /// A job came. `job`: its position in the list.
  virtual void arrive(std::uint32_t job, double now) = 0;
  /// It has done its work; its slots are free.
  virtual void end(std::uint32_t job, double now) = 0;
  /// A service wants so many tasks from now on. Asked only of who takes services.
  virtual void wish(std::uint32_t /*job*/, std::uint32_t /*tasks*/, double /*now*/) {}
  /// Decides. Returns the jobs that may have changed placement, rising.
  virtual std::vector<std::uint32_t> decide(double now) = 0;
  /// Where the job's tasks are; empty: waits.
  virtual Placement placement(std::uint32_t job) const = 0;
  /// When it has to be asked again though nothing happens; kNever: it has not.
  virtual double wake_at() const { return kNever; }
  /// Must every job's progress be brought up to date before decide()?
  virtual bool wants_progress() const { return false; }
};

}  // namespace wm::replay
