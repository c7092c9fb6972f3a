// Role: wnoded's care for its GPUs: looks at their health now and then, tells the master, and
// keeps the end of a task back until the GPUs that it had to itself are proven free.
//
//   task gone ─drain()─► looked at every tick ─free──────────────► ended
//                              └─ kill_grace over: GPU set aside ─► ended
//   reading ─30 s without an answer─► all GPUs set aside ─answers, well twice─► given again
//
// Invariant: a GPU's end is told only after a reading that was begun after the task was gone;
// one that is not free, or of which the driver says nothing, is reported sick before its task is
// reported gone. A driver that hangs keeps no end back for longer than that. Part of core.h.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/env.h"
#include "libwm/gpu/gpu_watch.h"

namespace wm::node {

/// @thread the loop's
class Gpus {
 public:
  using Ended = std::function<void(const launch::AttemptKey&, const FactEnded&)>;
  using Looked =
      std::function<std::map<std::string, std::string>(const std::vector<gpu::GpuReading>&)>;

  /// `ended`: called from on_tick's readings, never from inside drain. `looked`: with each reading;
  /// it says what tasks use beyond their gmem, in words by uuid.
  Gpus(Env& env, const std::vector<Gpu>& gpus, Ended ended, Looked looked)
      : env_(env), watch_(gpus), ended_(std::move(ended)), looked_(std::move(looked)) {}

  /// The end of a task that had these GPUs to itself. False: none of them is a device, so
  /// there is nothing to wait for. @cost O(GPUs)
  bool drain(const std::vector<std::string>& uuids, FactEnded fact, Duration grace);
  /// The attempt's end, or that task's, is kept back. @cost O(kept back)
  bool drains(const launch::AttemptKey& key) const;
  bool drains(const launch::AttemptKey& key, TaskNumber task) const;
  /// Nobody wants to know any more. @cost O(kept back)
  void forget(const launch::AttemptKey& key);

  /// The next reading is due at once, unless the last was begun a moment ago: what a device uses
  /// counts for a task from its first moment on.
  void look_soon();
  /// Starts a reading when one is due. `held`: uuids that tasks may be using.
  void on_tick(const TimeConf& times, std::set<std::string> held, bool session);
  /// For a registration; empty before the first look. @cost O(GPUs)
  std::vector<GpuReport> reports() const;
  /// Device memory in use when nobody uses it. @cost O(log GPUs)
  Bytes base(const std::string& uuid) const { return watch_.base(uuid); }
  /// As the driver told them at the last look; empty before the first.
  const std::vector<gpu::GpuReading>& readings() const { return readings_; }

 private:
  struct Drain {
    launch::AttemptKey key;
    FactEnded fact;
    std::vector<std::string> uuids;
    TimePoint until{};
    std::uint64_t after = 0;  ///< a later reading counts
  };

  void without_reading(bool session);
  void end(const std::vector<Drain>& over, bool session);
  void on_readings(std::uint64_t number, const std::vector<gpu::GpuReading>& readings,
                   bool session);
  bool is_free(const Drain& drain) const;
  void tell(bool session, bool always);

  Env& env_;
  gpu::GpuWatch watch_;
  Ended ended_;
  Looked looked_;
  std::vector<Drain> drains_;
  std::set<std::string> held_;
  std::vector<GpuReport> told_;
  std::vector<gpu::GpuReading> readings_;
  std::uint64_t begun_ = 0, done_ = 0;  ///< readings
  TimePoint next_{}, begun_at_{};
};

}  // namespace wm::node
