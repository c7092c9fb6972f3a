// Role: from who held what, and how hosts and GPUs stood, to sums by hour: pure, in integers.
//
//   parts of holdings ──clip to hours──► by (hour, who, use)
//            └──────────► per host ─┐
//   hosts' and GPUs' spans ─────────┴─sweep──► by (hour, host, use): what nobody held is down,
//                                             drained, aside or idle, in this order
//
// Invariants: an edge of x us counts as floor(x / 1000) ms, so any cutting adds up exactly. For
// every hour and host: capacity + over = allocated + down + drained + aside + idle.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "libwm/report/period.h"
#include "libwm/report/sums.h"

namespace wm::report {

/// A part of a task's holding. @units us since 1970, end 0: it lasts; thousandths; MiB
struct Part {
  std::uint32_t dim = 0;  ///< the caller's number of who holds it
  std::string host;
  Use use = Use::Held;
  std::int64_t start = 0, end = 0;
  std::int64_t slots = 0, milli_cpus = 0, gpus = 0, gpueq = 0, mem_mib = 0;
  std::string gpu_list;  ///< uuids, blank between
};

/// How a host stood. @units us since 1970, until 0: it lasts; thousandths
struct HostSpan {
  std::string host;
  std::int64_t since = 0, until = 0;
  Use use = Use::Idle;  ///< of what nobody holds: Down, Drained or Idle
  std::int64_t slots = 0, milli_cpus = 0;
};

/// How a GPU stood.
struct GpuSpan {
  std::string host, uuid;
  std::int64_t since = 0, until = 0;
  bool aside = false;
  std::int64_t gpueq = 1000;
};

/// Sums by hour.
struct HourSums {
  struct ByDim {
    std::int64_t hour = 0;  ///< its start, ms
    std::uint32_t dim = 0;
    Use use = Use::Held;
    Amounts amounts;
  };
  struct ByHost {
    std::int64_t hour = 0;
    std::string host;
    Use use = Use::Idle;
    Amounts amounts;  ///< without memory
  };
  std::vector<ByDim> dims;
  std::vector<ByHost> hosts;
};

/// Folds what lies in some hours that follow one another; what is outside is clipped away.
/// @thread one at a time
class HourFold {
 public:
  /// `hours` must not be empty. `horizon`: nothing counts after it. @units us
  HourFold(std::vector<Hour> hours, std::int64_t horizon);
  /// @cost O(hours it touches)
  void add(const Part& part);
  void add(const HostSpan& span);
  void add(const GpuSpan& span);
  /// In order of hour, dim or host, use. @cost O(edges log edges + hosts x hours)
  HourSums finish();

 private:
  // What changes at an instant, of one thing swept over.
  struct Change {
    enum class What : std::uint8_t { Held, Room, Host, Aside };
    std::int64_t at = 0;
    What what{};
    std::int64_t value = 0, second = 0;
  };
  using Changes = std::vector<Change>;
  struct HostChanges {
    Changes pool;  // slots and CPUs
    std::unordered_map<std::string, Changes> gpus;
    std::unordered_map<std::string, std::int64_t> gpueq;
  };
  struct Clip {
    std::int64_t from = 0, to = 0;  // ms
  };
  Clip clip(std::int64_t start, std::int64_t end) const;
  template <class Tell>
  void each_hour(Clip clip, Tell tell) const;
  void sweep_pool(Changes changes, std::vector<ByUse>& sums) const;
  void sweep_gpu(const HostChanges& host, const std::string& uuid, std::vector<ByUse>& sums) const;

  std::vector<Hour> hours_;
  std::int64_t horizon_ = 0;
  std::unordered_map<std::uint64_t, Amounts> dims_;  // (hour, dim, use)
  std::map<std::string, HostChanges> hosts_;
  std::map<std::string, std::vector<ByUse>> held_;  // of hosts, by hour: allocated
};

}  // namespace wm::report
