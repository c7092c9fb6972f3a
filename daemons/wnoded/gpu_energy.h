// Role: the energy that tasks' GPUs used while the tasks held them. Pure.
//
//   look 1 ──────── look 2            counter of the GPU at 2, less that at 1: for who held it
//      task ├───────────┤ ended       meanwhile, each by the time it did
//
// What a GPU used while nobody held it is nobody's. Of a GPU that several hold at a time each has
// its part of the time, whatever it does there: no driver tells it apart. The end of a task that
// had its GPUs to itself waits for a look (gpus.h); that of one that shares them does not, so what
// its part used since the last look is counted by the power of then. A counter that went back was
// reset: what passed since the look before is not known, and counts as nothing. Part of core.h.
//
// Invariant: what a task's end was told with does not change any more, so that it can be told
// again; a wnoded that starts again goes on from what the one before kept (text, load).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libwm/gpu/gpu_reading.h"
#include "libwm/launch/launcher.h"

namespace wm::node {

/// A task that has GPUs. @units of Env::mono; since: the beginning itself: from before this wnoded
struct GpuHold {
  launch::AttemptKey key;
  TaskNumber task;
  TimePoint since{}, until = TimePoint::max();  ///< that: it runs
};
/// By uuid.
using GpuHolds = std::map<std::string, std::vector<GpuHold>>;

/// @thread one at a time
class GpuEnergy {
 public:
  /// Takes a reading in; `holds`: tasks that run, and those of which the end waits for this look.
  /// Slices of GPUs, and GPUs of which the driver tells no energy, are left out.
  /// @cost O(GPUs + holds)
  void look(const std::vector<gpu::GpuReading>& readings, const GpuHolds& holds, TimePoint now);
  /// The task's end is told with this. @units mJ; 0: nothing is known   @cost O(its GPUs)
  std::int64_t close(const GpuHold& hold, const std::vector<std::string>& uuids);
  /// Of tasks that are not closed, by attempt. @units mJ   @cost O(tasks)
  std::map<launch::AttemptKey, std::int64_t> running() const;
  /// The attempt is gone. @cost O(log tasks + its tasks)
  void forget(const launch::AttemptKey& key);
  /// Of other attempts nothing is known any more. @cost O(tasks)
  void keep_only(const std::function<bool(const launch::AttemptKey&)>& wanted);

  /// Whether anything is otherwise than when this was asked last.
  bool take_changed() { return std::exchange(changed_, false); }
  /// All of it, a line each; counters hold within one boot of the machine. @cost O(tasks + GPUs)
  std::string text(const std::string& boot) const;
  /// Begins from such a text. What is no such line is left out; counters of another boot, too.
  /// @cost O(size)
  void load(const std::string& text, const std::string& boot);

 private:
  using Key = std::pair<launch::AttemptKey, TaskNumber>;
  struct Last {
    TimePoint at{};
    std::uint64_t energy_mj = 0, power_mw = 0;
    std::uint32_t holders = 0;  ///< that ran
  };
  struct Sum {
    double mj = 0;
    bool closed = false;
  };
  void share(const std::vector<GpuHold>& holds, double mj, TimePoint from, TimePoint to);

  std::map<std::string, Last> last_;
  std::map<Key, Sum> sums_;
  bool changed_ = false;
};

}  // namespace wm::node
