// Role: adds up how busy the GPUs of running tasks are, and what their processes use, between two
// frames to the master. Pure.
//
//   reading of all GPUs, and who holds them ─► since the last reading: seen, busy, energy ─► frame
//
// A pause between readings that is longer than three usual ones is not looked at: nobody knows what
// happened in it. Part of core.h.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libwm/gpu/gpu_reading.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/meter.h"

namespace wm::node {

/// The tasks that hold each GPU: several where they share it.
using GpuHolders = std::map<std::string, std::vector<std::pair<launch::AttemptKey, TaskNumber>>>;

/// @thread one at a time
class TaskMeters {
 public:
  /// Takes a reading in. `usual`: the time between two. Slices of GPUs have no use of their own
  /// that the driver tells: they are left out. @cost O(GPUs + holders)
  void look(const std::vector<gpu::GpuReading>& readings, const GpuHolders& holders, TimePoint now,
            Duration usual);
  /// What an attempt's processes used here; it counts for the first of its tasks. @cost O(1)
  void add(const launch::AttemptKey& key, TaskNumber first, const launch::Used& used);
  /// What has come together, to be told; begins anew. @cost O(tasks)
  std::vector<TaskMeter> take();

 private:
  using Key = std::pair<launch::AttemptKey, TaskNumber>;
  struct Last {
    TimePoint at{};
    std::uint64_t energy_mj = 0;
  };
  std::map<std::string, Last> last_;
  std::map<Key, TaskMeter> sums_;
};

}  // namespace wm::node
