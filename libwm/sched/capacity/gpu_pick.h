// Role: which GPUs of a room one task gets: free ones before coming ones, lowest index first;
// for tasks that share, the least used first (packed: the most used); joined by NVLink, each
// with each; or so many per NUMA node. Changes a copy of the room's GPUs, so that trying costs
// nothing. Used by room.cc only. Values.
#pragma once

#include <cstdint>
#include <vector>

#include "libwm/sched/capacity/host_capacity.h"

namespace wm::sched {

/// The GPUs of a room as picking changes them.
class GpuPicker {
 public:
  /// @owns `room` must outlive it
  GpuPicker(const HostCapacity& room, const TaskRequest& task);

  /// GPUs for one more task, rising; taken at once. Empty: none fit.
  /// @cost O(GPUs), with NVLink O(GPUs cubed)
  std::vector<std::uint16_t> pick(When when);
  /// How many tasks get theirs, at most `most`. @cost O(tasks times pick)
  std::int64_t count(When when, std::int64_t most);
  /// One named GPU, now. False: not free for this task. @cost O(1)
  bool claim(std::uint16_t gpu);
  /// Writes what was picked back. @cost O(GPUs)
  void commit(HostCapacity& room) const;

 private:
  std::vector<std::size_t> candidates(When when) const;
  std::vector<std::size_t> linked(const std::vector<std::size_t>& from) const;
  std::vector<std::size_t> tiled(const std::vector<std::size_t>& from) const;
  std::int64_t left(std::size_t gpu, When when) const;
  void take(std::size_t gpu);

  const HostCapacity& room_;
  const TaskRequest& task_;
  std::size_t each_;
  std::vector<GpuUse> uses_;
  std::vector<GpuPart> parts_;
};

}  // namespace wm::sched
